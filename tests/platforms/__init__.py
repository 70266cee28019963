"""Systems other than Linux, simulated: missing functions, and the behaviour of files."""

"""Systems other than Linux, simulated: what they lack, and how their files behave."""

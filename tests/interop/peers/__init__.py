"""Programs that read stores in a process, or an environment, of their own."""

"""Exit code 0 means that nothing was lost."""

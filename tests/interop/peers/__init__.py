"""Programs that read stores in a separate process or environment."""

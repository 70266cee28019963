"""What a browser shows of pages."""

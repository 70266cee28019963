"""Programs for developers of ncz, which `make` calls."""

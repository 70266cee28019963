"""What the source stores hold: numbers, times and texts, shapes, and zarr-python's own."""

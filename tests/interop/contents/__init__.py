"""Contents of the source stores: numbers, times, texts, shapes, and those of zarr-python."""

"""Contents of the source stores: numbers, times, texts, shapes, and features of zarr-python."""

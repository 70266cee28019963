"""Other programs that read Zarr: the features that they read, and forms of a store for them."""

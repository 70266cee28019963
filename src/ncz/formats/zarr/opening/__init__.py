"""A store as a dataset: `store` opens it, and `reader` makes the dataset."""

"""Open datasets in Python. The package `ncz` exports these names, and loads them on first use.

`dataset.open` gives a `dataset.Dataset`, whose groups and variables read values as numpy arrays
(`group`, `variable`, `indexing`) and lead to xarray (`xarray`). Functions such as `ncz.copy` come
from `ncz.commands`.
"""

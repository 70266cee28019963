"""Datasets, groups and variables for Python programs: views of an open dataset's records.

`opening` has the doors, `open`, `read` and `find`. A `Dataset` is its root `Group`; groups and
variables share a `Handle`, which keeps the dataset open. `text_repr` and `html_repr` describe them.
This package may import `ncz.api.array`, `ncz.formats`, `ncz.model` and `ncz.zmap`.
"""

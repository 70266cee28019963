"""The Python API. The package `ncz` exports these names, and loads them on first use.

`dataset.open` gives a `dataset.Dataset`, whose groups and variables read values as numpy arrays
(`group`, `variable`, `indexing`) and lead to xarray (`xarray`). The commands are functions with the
names and options of the command line: `creation` has those that create stores, `changes` those that
change them, `inspection` those that show what a store contains, `serving` and `picture` the others.
They return values and raise `ncz.NczError`, whose subclasses are builtin errors too. Notices go to
`notify`; by default they become Python warnings.
"""

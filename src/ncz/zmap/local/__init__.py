"""Stores on the local disk: directories and zip files.

Owns how they are read and written (`directory`, `zip`), how a new store is built beside its target
and moved into place (`creation`, `claim`), and how objects are copied from file to file (`move`).

May import: zmap, errors. Entry points: `opening.DIRECTORY` and `opening.ZIP`.
"""

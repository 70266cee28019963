"""Stores on the local disk: directories and zip files.

Owns how they are read and written (`directory`, `zip`), how a new store is built next to its target
and moved into place (`creation`), and how simultaneous changes are prevented (`locks`).

May import: zmap, errors. Entry points: `opening.DIRECTORY` and `opening.ZIP`.
"""

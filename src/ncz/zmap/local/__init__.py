"""Stores on the local disk: directories and zip files.

`directory` and `zip` read and write them, `creation` builds a new store next to its target and
moves it into place, and `locks` prevents simultaneous changes.

May import: zmap, errors. Entry points: `opening.DIRECTORY` and `opening.ZIP`.
"""

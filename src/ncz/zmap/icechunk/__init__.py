"""Icechunk repositories: snapshots of a Zarr V3 store, with branches and tags.

The library icechunk reads and writes them; it is imported when a repository is opened. `snapshot`
opens one snapshot, `reader` makes a zmap of it, `targets` decides which virtual chunks may be read,
and `opening` has the functions of this kind of store.

May import: errors, record, and the rest of `ncz.zmap`. Entry point: `opening.ICECHUNK`, by the
table `ncz.zmap.kinds`.
"""

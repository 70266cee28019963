"""Icechunk repositories: Zarr V3 stores with versions, read through the icechunk library.

A repository is a folder, or a prefix of a bucket. A store is one of its snapshots, which a branch
or a tag names. Its chunks are in the repository, or they are parts of other files (virtual chunks),
to which the same policy applies as to the targets of reference sets.

`repository` opens a snapshot, `virtual` decides where virtual chunks may be, and `reader` is the
zmap.

May import: errors, record, and the rest of `ncz.zmap`. Entry point: `opening.ICECHUNK`, by the
table `ncz.zmap.kinds`.

Source: the Icechunk specification, and the documentation of its Python package.
"""

"""Metadata documents of Zarr V2 and V3, NCZarr's notes and annotations in them, and their tree.

`document`, with `document_v2` and `document_v3`, maps JSON to checked records. `hierarchy` reads
the tree of documents, in the two spellings of `versions`. `notes` has NCZarr's metadata, and
`annotations` the annotations of pure Zarr.
"""

"""Zip files as stores: read in place without extraction, and written in one pass.

`layout` says where the keys of a new zip file are, `entries` parses the entries of existing files,
and `reader` and `writer` are the stores.

May import: zmap, errors.
"""

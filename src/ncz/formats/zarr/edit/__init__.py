"""Edits of a Zarr store: of attributes, of names and of lengths.

`draft` contains the documents that change, `attribute_edits` and `structure` change them, and
`changed_documents` plans the writes.
"""

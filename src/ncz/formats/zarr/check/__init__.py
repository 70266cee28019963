"""Errors and suspicious parts of a Zarr store.

`store` runs the checks: `documents`, `consolidation` and `links` look at metadata, `contents` reads
the store as ncz does, `readers` knows other programs, and `survey`, `chunks`, `references` and
`zip_entries` look at keys and bytes. `repairs` repairs documents. `ncz.formats.findings` has the
table of all codes. Entry point: `store.check_store`.
"""

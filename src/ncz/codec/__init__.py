"""Codecs, which turn the elements of a chunk into stored bytes and back.

`base` says what a codec is, and each family of codecs is a module. `catalogue` finds a codec by a
name of Zarr V2, Zarr V3 or HDF5, and `chain` applies the codecs of a chunk.
Knows neither keys nor the data model. May import: errors, record.
"""

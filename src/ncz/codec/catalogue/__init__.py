"""The catalogue of codecs, and questions to it.

`table` holds the catalogue, `entry` the form of its entries, and `lookup` finds a codec by a name
of Zarr V2, Zarr V3 or HDF5 and checks its parameters.

May import: errors, record. Entry point: `lookup`.
"""

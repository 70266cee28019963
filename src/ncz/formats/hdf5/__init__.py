"""netCDF-4 files, and other HDF5 files: read by ncz itself, written with h5py.

May import: `ncz.formats.netcdf`'s names, linear arrays and losses, model, codec, zmap, parallel.
Entry points: `reader` reads a file, `plan` and `write` make one. `metadata` is the file format.
"""

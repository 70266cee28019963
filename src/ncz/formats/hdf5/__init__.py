"""netCDF-4 files, and other HDF5 files, read and written with h5py.

May import: `ncz.formats.netcdf`'s names, linear arrays and targets, model, codec, zmap, parallel.
Entry points: `isolation` opens a file, `plan` and `write` make one.
"""

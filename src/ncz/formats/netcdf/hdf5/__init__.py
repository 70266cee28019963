"""netCDF-4 files, and other HDF5 files, read with h5py.

h5py reads metadata. The bytes of chunks are read directly from the file, at the offsets that HDF5
notes, so that they need not be decoded and many threads can read them.

`file` opens a file, `walk` lists its objects as netCDF-C does, `dimensions` finds the dimensions of
variables, `reader` makes a dataset of all this. `chunks` and `values` are the data of variables.
"""

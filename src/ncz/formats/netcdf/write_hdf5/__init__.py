"""Write netCDF-4 files: HDF5 with dimension scales, as netcdf-c writes them, through h5py.

`plan` decides how each variable is stored. `file` writes the groups, dimensions, variables and
attributes, and takes encoded chunks as they are.

May import: model, codec, zmap. h5py is imported when a file is written.
"""

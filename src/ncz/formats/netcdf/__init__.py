"""netCDF files: netCDF-4, which is HDF5, and the classic formats CDF-1, CDF-2 and CDF-5.

`ncz.formats.signatures` recognises them. `hdf5` and `classic` read the two families; both give
variables whose chunks move without decoding where their layout allows it.

May import: model, codec, zmap, parallel, errors. h5py is imported when an HDF5 file is opened.
Entry points: `target.plan_netcdf`, and the entry points of `classic`.
"""

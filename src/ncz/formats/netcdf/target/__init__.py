"""What the kinds of netCDF files can hold, and the plan by which a dataset is written to one.

May import: model, codec, zmap, and the packages that write the two families of files.
"""

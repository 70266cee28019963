"""Files of netCDF's classic formats: CDF-1, CDF-2 (64-bit offset) and CDF-5.

`header` parses the header, `reader` makes a dataset of it.
"""

"""Write files of the classic formats: CDF-1, CDF-2 (64-bit offset) and CDF-5 (64-bit data).

The layout is simple: a header, the variables of fixed size one after the other, then the records.
So ncz writes it itself: scipy, the only library in Python, cannot write CDF-5, and holds all values
in memory. `layout` gives every variable its place and checks the limits of the format, `header`
encodes the metadata, `file` writes both.

May import: model.
Source: the netCDF User's Guide, "NetCDF Classic Format Specification" and "CDF-5".
"""

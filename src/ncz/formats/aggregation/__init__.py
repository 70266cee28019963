"""Aggregations: datasets whose values are in other files or stores, which are called pieces.

A master has the dimensions, the attributes and the coordinates, and for each of its aggregated
variables a table of the pieces and their parts. The forms of masters are CFA 0.4 and 0.5 of
S3netCDF4, CFA 0.6, and the aggregation variables of CF 1.13. They are recognised by their metadata,
in files and in stores alike.

This package recognises masters (`marks`, `opening`), parses their forms (`forms`), and reads the
values out of pieces that it keeps open within a budget (`source`). `target` writes aggregations.

May import: the model, errors, record, and `ncz.zmap`; of the other formats only the common
interface (`ncz.formats.kinds`). Entry point: `opening.open_aggregation`, by `ncz.formats.opening`.

Source: CF Conventions 1.13, section 2.8 and appendix L; the CFA conventions 0.4 and 0.6; and the
documentation of S3netCDF4 for CFA 0.5.
"""

"""The netCDF data model: plain values that know neither formats, text nor storage.

`tree` contains datasets, groups and variables, `types` their types, `data` the protocol of values
that are read on demand, and `grid` the arithmetic of chunks. `chunks` describes how chunks are
encoded, and `mapped_source` makes a source of values from another.

May import: codec, errors, record.
"""

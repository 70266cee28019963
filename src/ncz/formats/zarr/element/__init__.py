"""Data types, fill values and the elements of chunks, to netCDF types and values and back.

May import: json, codec, model, errors.
"""

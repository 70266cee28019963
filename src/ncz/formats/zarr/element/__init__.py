"""Elements of an array: which netCDF type a dtype is, and stored bytes to values and back.

May import: document.json, mapping.attributes, model, codec, errors.
"""

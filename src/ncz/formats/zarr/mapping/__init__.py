"""The terms of Zarr to those of netCDF and back: attributes, dimensions, chunk shapes, strings.

May import: hierarchy, nczarr, document, element, json, model, errors.
"""

"""Zarr's terms as netCDF's: attributes, dimensions, chunk shapes, strings, quantization.

May import: document.json, hierarchy.nodes, model, codec, errors.
"""

"""NCZarr's annotations: checked records in `notes`, their JSON on Zarr V2 and V3.

May import: json, model, zmap.key, errors.
"""

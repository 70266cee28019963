"""Zarr V2 and V3, NCZarr or pure, as datasets.

`document` maps JSON to checked values, `hierarchy` the tree of documents, `nczarr` NCZarr's
annotations, `mapping` Zarr's terms to netCDF's, `element` dtypes and their values, `array` the
chunks. `reader` and `writer` put them together.

May import: model, codec, zmap, parallel, errors.
Doors: `reader.open_dataset`, `plan.plan_dataset`, `writer.write_dataset`, `writer.write_plan`.
"""

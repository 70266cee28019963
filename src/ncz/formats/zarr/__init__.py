"""Zarr V2 and V3, NCZarr or pure, as datasets.

`document` maps JSON (`json`) to checked records, `hierarchy` reads the tree of documents, `nczarr`
NCZarr's annotations. `mapping` maps Zarr's terms to netCDF's, `element` data types and their
values, `array` reads and writes chunks. `reader` makes a dataset of a store. `plan` decides how a
dataset is stored, by the choices in `options`, and finds what cannot be stored; `writer` and
`writing` write it.

May import: model, codec, zmap, parallel, errors.
Entry points: `reader.open_dataset`, `plan.store.plan_dataset`, `writer.write_dataset`,
`writer.write_plan`, `chunk.decode_chunk`.
"""

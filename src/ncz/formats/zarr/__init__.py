"""Zarr V2 and V3, NCZarr or pure, as datasets.

What V2 and V3 share is in one place, and each version is a subclass or a module that says how it
spells the rest. `document`, with `document_v2` and `document_v3`, maps JSON (`json`) to checked
records; `hierarchy` reads the tree of documents, with the two spellings of `versions`; `notes` has
those of NCZarr, and `annotations` those of pure Zarr. `dtypes`, `elements`, `attributes` and
`dimensions` map Zarr's terms to netCDF's, `array` and `shards` read and write chunks. `reader`
makes a dataset of a store, `plan` decides how a dataset is stored, with `array_planner` for each
variable and by the choices in `options`, and finds what cannot be stored, and `writer` writes it.
`target` is a new store at a location, and `audience` the readers that it is for.

May import: model, codec, zmap, parallel, errors.
Entry points: `reader.open_dataset`, `plan.plan_dataset`, `writer.write_dataset`,
`writer.write_plan`.
"""

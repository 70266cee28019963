"""Zarr V2 and V3, NCZarr or pure, as datasets.

The packages, from whole stores down: `maintenance` with `check` and `edit`; `writing` and
`opening`; `readers`, which are other programs; `arrays`; `documents`; `types`; and `json`. Each has
the common parts of V2 and V3 in one place, and a module for the rest of each version.

May import: model, codec, zmap, parallel, errors.
Entry points: `opening.reader.open_dataset`, `writing.plan.plan_dataset`,
`writing.writer.write_dataset`, `writing.writer.write_plan`.
"""

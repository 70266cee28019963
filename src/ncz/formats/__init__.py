"""Formats that can be opened as a dataset, or made from one. Each format is a package.

`kinds` says what a format provides, `write_plan` what the plan of a new dataset does, and `opening`
is the table of formats.

May import: model, codec, zmap, parallel, errors.
Entry points: `opening.open_dataset`, `opening.create_dataset`.
"""

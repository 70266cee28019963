"""What can be opened as a dataset, or made from one. Each format is a package.

`kinds` says what a format provides, `opening` is the table of formats, and `names` says what the
names of new datasets promise.

May import: model, codec, zmap, parallel, errors.
Entry points: `opening.open_dataset`, `opening.create_dataset`.
"""

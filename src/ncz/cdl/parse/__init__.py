"""CDL text to a dataset.

`syntax` parses the declarations, `constants` parses values one at a time, `data` indexes data lists
and parses them chunk by chunk when they are read, and `reader` makes the dataset.

May import: text, model, parallel, errors. Entry point: `reader.read_cdl`.
"""

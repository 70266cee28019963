"""CDL text to a dataset.

`syntax` parses the declarations, `data_index` locates the values of each data list without reading
them, `resolve` makes the dataset, and `literal` reads values chunk by chunk when they are needed.

May import: text, model, errors. Door: `reader.read_cdl`.
"""

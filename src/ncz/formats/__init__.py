"""What can be opened as a dataset, or made from one. Each kind of format is a package here.

May import: model, codec, zmap, parallel, errors.
"""

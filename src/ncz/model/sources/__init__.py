"""Chunk sources that are made of other chunk sources, and read them on demand.

`subset` selects indices, `mapped` changes values, `quantized` rounds them, `watched` reports which
are read, and `flat` reads blocks of flattened values in boxes of any shape.

May import: the rest of model, errors, record.
"""

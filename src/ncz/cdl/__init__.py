"""The CDL language: text to a dataset, and a dataset to text, byte for byte as ncdump.

`syntax` parses the declarations, `constants` parses values one at a time, `data_list` indexes data
lists and parses them chunk by chunk when they are read, `resolution` resolves names, and
`reader` makes the dataset. `printer` prints a dataset, and `print_data` its data.

May import: text, model, parallel, errors, and `ncz.codec.catalogue` for codecs that a text names.
Does not know storage. Entry points: `reader.read_cdl` and `printer.print_cdl`.
"""

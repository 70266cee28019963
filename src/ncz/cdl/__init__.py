"""The CDL language: text to dataset (`parse`) and dataset to text (`print`).

May import: text, model, parallel, errors, and `ncz.codec.catalogue` for codecs that a text names.
Does not know storage. Entry points: `cdl.parse.reader.read_cdl` and `cdl.print.printer.print_cdl`.
"""

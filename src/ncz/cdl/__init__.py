"""The CDL language: text to dataset (`parse`) and dataset to text (`print`).

May import: text, model, parallel, errors, and `codec.catalogue` for the codecs that a text names.
Does not know storage. Entry points: `cdl.parse.reader.read_cdl` and `cdl.print.printer.print_cdl`.
"""

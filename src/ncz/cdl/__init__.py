"""The CDL language: text to dataset (`parse`) and dataset to text (`print`).

May import: text, model, errors, and `ncz.codec.check` for the codecs that a text names. Knows no
store.
Doors: `cdl.parse.reader.read_cdl`, `cdl.print.printer.print_cdl`.
"""

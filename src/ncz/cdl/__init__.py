"""The CDL language: text to dataset (`parse`) and dataset to text (`print`).

May import: text, model, errors. Knows no store and no codec implementation.
Doors: `cdl.parse.reader.read_cdl`, `cdl.print.printer.print_cdl`.
"""

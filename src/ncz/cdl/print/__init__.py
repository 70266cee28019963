"""Print a dataset as CDL, byte for byte as ncdump.

May import: text, model, parallel, errors. Entry point: `printer.print_cdl`.
"""

"""A dataset to CDL text, byte for byte as ncdump prints it.

May import: text, model, parallel, errors. Door: `printer.print_cdl`.
"""

"""What every text form needs: numbers to digits and back, rows, wrapping, selection, positions.

CDL, JSON, NcML and the summary are made from these parts. Knows no format and no storage.

May import: model, errors.
"""

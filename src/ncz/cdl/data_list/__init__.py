"""The data list of a variable in CDL: an index of its text, whose blocks are parsed when needed.

Entry points: `index.index_data` and `array.CdlArray`.
"""

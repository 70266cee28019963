"""The tree of groups and arrays of one store, from its documents, V2 or V3.

May import: document, nczarr, mapping, zmap, errors.
"""

"""Metadata documents: JSON objects to and from checked records. V2 and V3 are independent.

May import: array.keys, element, json, model, zmap, errors.
"""

"""Metadata documents as JSON, to and from checked values. V2 and V3 do not know each other.

May import: element, array.layout, model, codec, errors.
"""

"""Chunks from one dataset to another: raw, recoded or rechunked; and their comparison.

Knows no text. May import: formats, model, codec, zmap, parallel, errors.
"""

"""NCZarr's annotations: the four generations on V2, and those on V3.

May import: document.json, model, errors.
"""

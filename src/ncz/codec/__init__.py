"""Codecs, which turn the elements of a chunk into stored bytes and back.

Owns the catalogue of codecs (`catalogue`), the chain of a chunk's codecs
(`chain`), the check before writing (`check`), and rounding (`quantize`). Knows neither keys nor the
data model. May import: errors, record.
"""

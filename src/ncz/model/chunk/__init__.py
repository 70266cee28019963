"""The chunks of a variable: their shapes, how they are encoded, and arrays of encoded chunks.

`chunking` chooses shapes, `layout` describes how chunks are encoded, and `encoded` has the
protocols by which copies move encoded chunks.

May import: the rest of model except `sources`, errors, record.
"""

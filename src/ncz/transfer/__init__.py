"""Copy chunks from one dataset to another (raw, recoded or rechunked), and compare datasets.

Knows no text formats. Doors: `move.transfer_for`, `move.move_chunks`, `rechunk.rechunk_chunks`,
`compare.differences`. May import: formats, model, codec, zmap, parallel, errors.
"""

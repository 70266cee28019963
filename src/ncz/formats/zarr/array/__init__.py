"""The chunks of one array: keys, shards, and decoding on demand.

May import: document, element, model, codec, zmap, parallel, errors. Door: `array.ZarrArray`.
"""

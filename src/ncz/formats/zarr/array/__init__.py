"""The chunks of one array: keys, shards, and decoding on demand.

May import: element, model, codec, zmap, parallel, errors. Entry point: `array.ZarrArray`.
"""

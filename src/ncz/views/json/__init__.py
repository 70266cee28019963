"""The JSON form of a dataset, which docs/json.md describes.

`encode` and `decode` convert single values, `scan` finds the objects of a text, and `array` is the
chunk source of a variable's data.

May import: text, model, errors. Entry points: `writer.print_json`, `reader.read_json`.
"""

"""The JSON form of a dataset, written and read back. docs/json.md describes it.

May import: text, model, errors. Doors: `writer.print_json`, `reader.read_json`.
"""

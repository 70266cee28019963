"""A dataset as JSON, which docs/reference/json.md describes.

Entry points: `writer.print_json` and `reader.read_json`.
"""

"""Datasets that are written as text: CDL, or the JSON of ``ncz dump --json``.

`signs` recognises them, and `opening` reads them; a text on a server is copied first.

May import: cdl, views.json, zmap, model, errors.
Entry points: `signs.is_text`, `opening.open_text`.
"""

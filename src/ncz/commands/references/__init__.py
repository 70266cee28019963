"""Copies to reference sets, which refer to the chunks of their sources instead of holding them.

May import: everything but cli and api. Entry points: `target` and `concat`, which
the command copy uses.
"""

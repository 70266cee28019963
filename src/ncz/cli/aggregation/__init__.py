"""``ncz aggregate``: masters over files that exist.

May import: what the other modules of `ncz.cli` may. Entry point: `command.aggregate`.
"""

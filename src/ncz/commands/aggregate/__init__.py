"""aggregate: make a master over files that exist, or change where its pieces are.

May import: the other commands' shared modules, formats, model. Entry points: `command.aggregate`
and `moving.move`.
"""

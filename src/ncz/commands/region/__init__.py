"""Write a dataset into a region of a store that exists.

May import: `ncz.commands.joining`, `ncz.commands.append`'s and the copy's own modules, and their
own imports. Entry point: `command.write_region`.
"""

"""The types of the numbers in a copy: unpacked, packed, or converted to another type.

May import: `ncz.commands.joining` and its imports. Entry points:
`dataset.with_number_types`, `options.NumberTypes`.
"""

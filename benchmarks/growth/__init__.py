"""``make growth``: the growth of each command's work with the number of things in its input.

If the work of a command grows faster than its input, the command becomes too slow for large inputs
that nobody has tried. Each kind of thing is created in growing numbers (`things`, `sources`), each
command runs on them (`commands`), and the exponents of its work are calculated: steps of Python,
processor time, bytes that are read, and reads. An exponent above `exponent.LARGEST` fails.
"""

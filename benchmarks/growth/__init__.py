"""``make growth``: how the work of each command grows with the number of things that it meets.

A command whose work grows faster than the number of things is too slow for whoever has more of them
than anybody tried. Each kind of thing is made in growing numbers (`things`, `sources`), each
command is run on them (`commands`), and the exponents of what it does are found: steps of Python,
processor time, bytes that are read, and reads. An exponent above `exponent.LARGEST` fails.
"""

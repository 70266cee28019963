"""A fuzzer: ncz reads changed documents, chunks, archives and texts, and is judged by an oracle.

``make fuzz`` runs it. One idea per file: `case` is one input, `seeds` makes the inputs to begin
with, the mutators `documents`, `binary` and `text` change them, `oracle` runs ncz and judges,
`isolation` does this in processes that may crash, `coverage` finds the inputs that reach new lines,
and `engine` is the loop. ``corpus`` contains the inputs that once broke a rule; `test_fuzz` replays
them and runs the fuzzer for a short time with a fixed seed.
"""

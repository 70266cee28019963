"""Check that the tests notice mistakes in the code: ``make mutants``.

A mutant is ncz with one small mistake (`tools.mutants.mistakes`). For each seed, the same sample of
all mutants of the core packages is drawn (`tools.mutants.sample`). First, the tests run once, to
find out which of them reach the line of each mutant (`tools.mutants.coverage`). Then these run with
the mutant until one fails (`tools.mutants.trial`): the mutant is killed, and otherwise it survives.
At least 90 % must be killed, apart from those that are listed in ``tools/mutants.txt``, with the
reason why no test can notice them.
"""

"""Check that the tests notice mistakes in the code: ``make mutants``.

A mutant is ncz with one small mistake (`tools.mutants.mistakes`). For each seed, the same sample of
all mutants of the core packages is drawn (`tools.mutants.sample`). First, the tests run once, to
find the tests that reach the line of each mutant (`tools.mutants.coverage`). Then these run with
the mutant (`tools.mutants.trial`). If one fails, the mutant is killed; otherwise it survives. At
least 90 % must be killed. Mutants that no test can notice are listed in ``tools/mutants.txt``, with
the reason, and do not count.
"""

"""The loop: change inputs, judge them, keep inputs that reach new lines, and collect breaches."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from random import Random

from ncz.record import record
from tests.fuzz.case import Case
from tests.fuzz.coverage import Lines
from tests.fuzz.isolation import judge_all
from tests.fuzz.mutate import mutate
from tests.fuzz.oracle import signature
from tests.fuzz.seeds import seeds

ROUND = 40
"""Inputs that are made before their results are known, for any number of processes."""


@record
class Finding:
    """A case and the breaches of rules that it led to."""

    case: Case
    breaches: tuple[str, ...]


class Fuzzer:
    """Fuzz one subject; the seed and the number of inputs determine everything that is done."""

    def __init__(self, subject: str, seed: int, *, jobs: int = 1, guided: bool = True) -> None:
        self.subject = subject
        self.inputs = 0
        self.reached = 0
        self.findings: dict[str, Finding] = {}
        self.counts: Counter[str] = Counter()
        self._random = Random(f"{seed} {subject}")
        self._jobs = jobs
        self._lines = Lines() if guided else None
        self._pool = list(seeds(subject))
        self._is_begun = False

    def run(self, inputs: int) -> None:
        """Judge a number of changed inputs; at first the seeds, which must break no rule."""
        if not self._is_begun:
            self._is_begun = True
            self._judge(self._pool, keep=False)
        while inputs > 0:
            cases = [self._changed() for _ in range(min(ROUND, inputs))]
            self._judge(cases, keep=True)
            self.inputs += len(cases)
            inputs -= len(cases)

    def _changed(self) -> Case:
        case = self._random.choice(self._pool)
        for _ in range(self._random.choice((1, 1, 1, 2))):
            case = mutate(case, self._random)
        return case

    def _judge(self, cases: Sequence[Case], *, keep: bool) -> None:
        for case, told in zip(cases, judge_all(cases, self._lines, self._jobs), strict=True):
            if told.lines and self._lines is not None:
                self.reached += len(told.lines)
                if keep and not told.breaches:
                    self._pool.append(case)
                self._lines.know(set(told.lines))
            if told.breaches:
                self._found(case)

    def _found(self, case: Case) -> None:
        """Judge again without recording lines, which takes time and memory."""
        (told,) = judge_all([case])
        for kind in {signature(breach) for breach in told.breaches}:
            self.counts[kind] += 1
            self.findings.setdefault(kind, Finding(case, told.breaches))


def fuzz(
    fuzzers: Sequence[Fuzzer], is_over: Callable[[int], bool], each: int = ROUND
) -> Iterator[Fuzzer]:
    """Run the fuzzers in turn until `is_over`, which is given the number of inputs so far."""
    while True:
        for fuzzer in fuzzers:
            if is_over(sum(fuzzer.inputs for fuzzer in fuzzers)):
                return
            fuzzer.run(each)
            yield fuzzer


def until(seconds: float | None, inputs: int | None) -> Callable[[int], bool]:
    """Return a function that returns whether a number of seconds or inputs have passed."""
    end = None if seconds is None else time.monotonic() + seconds

    def is_over(done: int) -> bool:
        if inputs is not None and done >= inputs:
            return True
        return end is not None and time.monotonic() >= end

    return is_over

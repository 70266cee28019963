"""Replay earlier findings of the fuzzer, and fuzz each subject for a short time with a fixed seed.

``make test`` tries a few inputs of some of the subjects.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.forked import forked
from tests.fuzz.case import Case, from_json, to_json
from tests.fuzz.engine import Fuzzer
from tests.fuzz.isolation import judge_all
from tests.fuzz.mutate import mutate
from tests.fuzz.seeds import SUBJECTS

CORPUS = Path(__file__).parent / "corpus"
SEED = 1


def _fuzz(subject: str, inputs: int, result: str) -> None:
    fuzzer = Fuzzer(subject, SEED, guided=False)
    fuzzer.run(inputs)
    found = [[to_json(each.case), *each.breaches] for each in fuzzer.findings.values()]
    Path(result).write_text(json.dumps([fuzzer.inputs, found]))


CASES = [(subject, 3) for subject in list(SUBJECTS)[::3]]
LONG = [pytest.param(subject, 40, marks=pytest.mark.long) for subject in SUBJECTS]


@pytest.mark.parametrize(("subject", "inputs"), [*CASES, *LONG])
def test_no_changed_input_breaks_a_rule(subject, inputs, tmp_path):
    result = tmp_path / "result.json"
    with forked(_fuzz, subject, inputs, str(result)):
        pass
    assert json.loads(result.read_text()) == [inputs, []]


def _replay(result: str) -> None:
    paths = sorted(CORPUS.glob("*.json"))
    told = judge_all([from_json(path.read_text()) for path in paths])
    broken = {path.name: each.breaches for path, each in zip(paths, told, strict=True)}
    Path(result).write_text(json.dumps(broken))


@pytest.mark.long
def test_old_findings_break_no_rule_again(tmp_path):
    result = tmp_path / "result.json"
    with forked(_replay, str(result)):
        pass
    broken = json.loads(result.read_text())
    assert len(broken) == len(list(CORPUS.glob("*.json")))
    assert {name: breaches for name, breaches in broken.items() if breaches} == {}


def test_a_case_survives_being_written():
    case = Case("chunks", "s.zarr", {"s.zarr/v/0": bytes(range(256)), "s.zarr/.zgroup": b"{}"})
    assert from_json(to_json(case)) == case


def test_the_same_seed_makes_the_same_inputs():
    from random import Random

    case = Case(
        "cdl", "x.cdl", {"x.cdl": b"netcdf x { dimensions: a = 1 ; variables: int v(a) ; }"}
    )
    one, other = ([mutate(case, random) for _ in range(20)] for random in (Random(3), Random(3)))
    assert one == other
    assert len({each.files["x.cdl"] for each in one}) > 10

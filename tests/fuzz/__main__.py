"""Run the fuzzer: ``python -m tests.fuzz --seconds 240 --seed 1``, or replay files.

The exit code is 1 if a rule was broken. Each breach is written to a file, which ``--replay`` judges
again, and which belongs in ``tests/fuzz/corpus`` after it is fixed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

import tests.preloaded  # noqa: F401 - these modules are imported once for all processes
from tests.fuzz.case import Case, from_json, to_json
from tests.fuzz.engine import Fuzzer, fuzz, until
from tests.fuzz.isolation import judge_all
from tests.fuzz.seeds import SUBJECTS


def main() -> int:
    """Run the fuzzer with the options of the command line."""
    options = _parser().parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if options.tmp is None and os.access("/dev/shm", os.W_OK | os.X_OK):
        tempfile.tempdir = "/dev/shm"
    if options.replay:
        return _replay(options.replay)
    seed = options.seed if options.seed is not None else int.from_bytes(os.urandom(3))
    seconds = options.seconds if options.inputs is None else None
    fuzzers = [
        Fuzzer(subject, seed, jobs=options.jobs, guided=not options.unguided)
        for subject in options.subjects or SUBJECTS
    ]
    _say(f"seed {seed}")
    told: set[tuple[str, str]] = set()
    for fuzzer in fuzz(fuzzers, until(seconds, options.inputs)):
        for kind, finding in fuzzer.findings.items():
            if (fuzzer.subject, kind) not in told:
                told.add((fuzzer.subject, kind))
                path = _save(finding.case, options.output)
                _say(path, *finding.breaches)
    return _summary(fuzzers, seed)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=240, help="run so long (default: 240)")
    parser.add_argument(
        "--inputs", type=int, help="run until this number of inputs are judged, instead"
    )
    parser.add_argument("--seed", type=int, help="of the random numbers (default: a new one)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="number of processes")
    parser.add_argument("--unguided", action="store_true", help="do not record lines")
    parser.add_argument("--output", type=Path, default=Path("build/fuzz"), help="for findings")
    parser.add_argument("--tmp", action="store_true", help="use TMPDIR even if /dev/shm exists")
    parser.add_argument("--replay", type=Path, nargs="+", help="judge these files only")
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help=", ".join(SUBJECTS))
    return parser


def _say(*lines: object) -> None:
    print(*lines, sep="\n  ", flush=True)  # noqa: T201


def _save(case: Case, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{case.name}.json"
    path.write_text(to_json(case) + "\n")
    return path


def _replay(paths: list[Path]) -> int:
    judgements = judge_all([from_json(path.read_text()) for path in paths])
    for path, told in zip(paths, judgements, strict=True):
        _say(path, *told.breaches or ["breaks no rule"])
    return int(any(told.breaches for told in judgements))


def _summary(fuzzers: list[Fuzzer], seed: int) -> int:
    _say(f"seed {seed}")
    _say(f"{'subject':12}{'inputs':>8}{'lines':>8}{'breaches':>10}")
    for fuzzer in fuzzers:
        broken = fuzzer.counts.total()
        _say(f"{fuzzer.subject:12}{fuzzer.inputs:8}{fuzzer.reached:8}{broken:10}")
        for kind, count in fuzzer.counts.most_common():
            _say(f"    {count:5}  {kind}")
    _say(f"{'total':12}{sum(fuzzer.inputs for fuzzer in fuzzers):8}")
    return int(any(fuzzer.counts for fuzzer in fuzzers))


if __name__ == "__main__":
    sys.exit(main())

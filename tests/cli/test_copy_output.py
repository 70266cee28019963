"""What `ncz copy` prints of a copy."""

from __future__ import annotations

from tests.cli.test_copy import weather as weather
from tests.conftest import Run


def test_a_terminal_shows_the_result_of_a_copy(run: Run, weather, tmp_path, monkeypatch):
    from ncz.cli import terminal
    from ncz.cli.copy_output import success_text
    from ncz.commands.copy.summary import Summary

    summary = Summary(variables=5, compared=48_000_000, size=58_000_000)
    assert success_text(summary, 8.1) == (
        "5 variables, 48,000,000 values are equal, 58 MB written, in 8 s"
    )
    assert run("copy", weather, tmp_path / "a.zarr", "--verify").stderr == ""  # in a pipe
    said: list[str] = []
    monkeypatch.setattr(terminal.Terminal, "succeed", lambda _, text: said.append(text))
    assert run("copy", weather, tmp_path / "b.zarr", "--verify").code == 0
    assert run("copy", weather, tmp_path / "c.zarr", "--dry-run").code == 0
    assert [line.partition(",")[0] for line in said] == ["6 variables"]
    assert "values are equal" in said[0]

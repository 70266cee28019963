"""The text of ``--help``: parts of it, and the whole."""

from __future__ import annotations

import click

from ncz.cli.help_text import option_records, write_description, write_examples, write_options

DESCRIPTION = "\n\n".join(f"Paragraph {number}." for number in range(4))
EXAMPLES = "\b\nExamples:\n" + "\n".join(f"ncz x {number}" for number in range(5))


def command() -> click.Command:
    """Return a command with a common option, one of another section, and a rare one."""
    options = [click.Option([f"--{name}"], help="First. Second.") for name in ("a", "b", "rare")]
    options[0].common = options[1].common = True  # type: ignore[attr-defined]
    options[1].section = "Output"  # type: ignore[attr-defined]
    argument = click.Argument(["source"])
    return click.Command("x", params=[*options, argument], help=DESCRIPTION, epilog=EXAMPLES)


def records(*, is_whole: bool) -> dict[str, list[tuple[str, str]]]:
    known = command()
    titles = ("Output", "Unused", "Options")
    return option_records(known, click.Context(known), titles, is_whole=is_whole)


def test_the_short_help_has_first_sentences_of_common_options():
    assert records(is_whole=False) == {
        "Output": [("--b TEXT", "First.")],
        "Options": [("--a TEXT", "First.")],
    }


def test_the_whole_help_has_all_sentences_of_all_options():
    found = records(is_whole=True)
    assert [name for name, _ in found["Options"]] == ["--a TEXT", "--rare TEXT", "--help"]
    assert found["Output"] == [("--b TEXT", "First. Second.")]


def written(write, **how) -> str:
    formatter = click.HelpFormatter(width=80)
    write(command(), formatter, **how)
    return formatter.getvalue()


def test_two_paragraphs_and_three_examples_are_short():
    assert "Paragraph 1." in written(write_description, is_whole=False)
    assert "Paragraph 2." not in written(write_description, is_whole=False)
    assert "Paragraph 3." in written(write_description, is_whole=True)
    assert "ncz x 2" in written(write_examples, is_whole=False)
    assert "ncz x 3" not in written(write_examples, is_whole=False)
    assert "ncz x 4" in written(write_examples, is_whole=True)


def test_each_section_has_its_title():
    formatter = click.HelpFormatter(width=80)
    write_options({"Output": [("--b", "First.")], "Store": [("--c", "Other.")]}, formatter)
    text = formatter.getvalue()
    assert text.index("Output:") < text.index("--b  First.") < text.index("Store:")

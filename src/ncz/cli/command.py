"""Commands: the parsing of a command line, and the help."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any, get_args

import click

from ncz.cli.options import ALL_HELP, COMMON, WHEN, WIDTH, WORDS, Section, examples, help_option

_FOREIGN = ("-", "NETCDF:", "HDF5:", "ZARR:", "/vsi", "time=:")
"""The beginnings of words that may be options or names of other programs."""


_REMOVING = ("--remove", "--delete", "--overwrite", "--yes")
"""Options that are never proposed for a word that is like them."""


_SET_FLAG = re.compile(r"(--[a-z-]+)=(true|false|yes|no|1|0|on|off)", re.IGNORECASE)
"""An option that may have no value, with one as in Python."""


def _as_flag(word: str, flags: set[str]) -> list[str]:
    """Return an option without a value for one that is set to true or to false."""
    found = _SET_FLAG.fullmatch(word)
    if found is None or found[1] not in flags:
        return [word]
    if found[2].lower() in ("true", "yes", "1", "on"):
        return [found[1]]
    opposite = f"--no-{found[1][2:]}"
    return [opposite] if opposite in flags else []


class Command(click.Command):
    """A command whose help lists its options in sections.

    ``--help`` fits a screen: it lists the options that are `common`, and ``--help-all`` every one.
    """

    def __init__(self, *args: Any, **keywords: Any) -> None:
        settings = keywords.setdefault("context_settings", {})
        settings.setdefault("terminal_width", WIDTH)
        settings.setdefault("help_option_names", ["-h", "--help"])
        super().__init__(*args, **keywords)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line; options can have the names of other programs."""
        is_word = args == ["help"] and not os.path.lexists("help")
        if args == ["-h"] or is_word:  # -h is an option of some commands, as in netCDF's programs
            args = ["--help"]
        ctx.meta[WORDS] = tuple(args)
        args = [
            "--color=always" if word == "--color" and after not in WHEN else word
            for word, after in zip(args, (*args[1:], ""), strict=False)
        ]
        if any(_SET_FLAG.fullmatch(word) for word in args):
            flags = self.flag_names(ctx)
            args = [each for word in args for each in _as_flag(word, flags)]
        if sum(not word.startswith("-") for word in args) > 1:
            from ncz.cli.line_order import with_whole_names

            args = with_whole_names(args)
        if "--sel" in args or "--isel" in args:
            from ncz.cli.misplaced_values import refuse_divided_selection

            refuse_divided_selection(args)
        try:
            rest = super().parse_args(ctx, self.in_own_words(ctx, args))
        except click.NoSuchOption as error:
            like = [each for each in self.own_names(ctx) if len(each) > 2 and each not in _REMOVING]
            raise click.NoSuchOption(error.option_name, possibilities=like, ctx=ctx) from None
        except click.BadOptionUsage as error:
            from ncz.cli.misplaced_values import missing_value_message

            line = missing_value_message(ctx, ctx.meta[WORDS], error.option_name)
            raise click.UsageError(line) if line else error from None
        except click.MissingParameter:
            from ncz.cli.misplaced_values import taken_by_option

            taken = taken_by_option(ctx, ctx.meta[WORDS])
            if taken is None:
                raise
            raise click.UsageError(taken) from None
        has_profile = ctx.params.get("profile") is not None
        if has_profile and ctx.params["anon"] and not ctx.resilient_parsing:
            raise click.UsageError("--profile and --anon cannot be used together", ctx)
        return rest

    def make_parser(self, ctx: click.Context) -> Any:
        """Return the parser of click, which finds options of one letter directly.

        It would look for names like theirs first, which takes longer than all else that it does.
        """
        parser = super().make_parser(ctx)
        getattr(parser, "_long_opt", {}).update(getattr(parser, "_short_opt", {}))
        return parser

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Return the option ``--help``."""
        return help_option(self, ctx)

    def own_names(self, ctx: click.Context) -> set[str]:
        """Return the names of all options."""
        parameters = self.get_params(ctx)
        return {name for each in parameters for name in (*each.opts, *each.secondary_opts)}

    def flag_names(self, ctx: click.Context) -> set[str]:
        """Return the names of the options without a value."""
        options = (each for each in self.get_params(ctx) if isinstance(each, click.Option))
        return {name for each in options if each.is_flag for name in each.opts}

    def in_own_words(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Replace options of other programs by options of the command.

        Raises `click.UsageError` with the line to type for an option that ncz lacks.
        """
        own = self.own_names(ctx)
        if not any(w.startswith(_FOREIGN) and w.partition("=")[0] not in own for w in args) and (
            not any(_PARTS.get(before, "\n") in text for before, text in pairwise(args))
        ):
            return args
        from ncz.cli.programs.option_words import in_own_words

        return in_own_words(self.name or "", args, own, self.flag_names(ctx), ctx)

    def option_records(self, ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
        """Return the names and the help of the options, by the titles of their sections."""
        from ncz.cli.help_text import option_records

        return option_records(self, ctx, get_args(Section), is_whole=ALL_HELP in ctx.meta)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the description, or the first paragraphs of it."""
        from ncz.cli.help_text import write_description

        write_description(self, formatter, is_whole=ALL_HELP in ctx.meta)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one list of options for each section, in the order of `Section`."""
        from ncz.cli.help_text import write_options

        write_options(self.option_records(ctx), formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, or the first of them."""
        from ncz.cli.help_text import write_examples

        write_examples(self, formatter, is_whole=ALL_HELP in ctx.meta)


_PARTS = {"-d": ",", "--nearest": "="}
"""Options that people follow with a part of a dataset -> a character in the text of the part."""


def command(
    name: str, *lines: str, cls: type[Command] = Command
) -> Callable[[Callable[..., None]], Command]:
    """Return a decorator that makes a command of a function, which receives the context first.

    `lines` are the examples of its help.
    """

    def make(function: Callable[..., None]) -> Command:
        command = click.command(name, cls=cls, epilog=examples(*lines))(
            click.pass_context(function)
        )
        command.params += COMMON
        return command

    return make

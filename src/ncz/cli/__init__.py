"""The command line: options, messages, colours and exit codes.

This is the only package that imports click and rich. Each command has a module. `options` contains
the options of every command, `spellings` the options that are arguments of a function, and
`terminal` messages, colours, standard streams and exit codes. Each command of the group ``ncz`` is
imported when it is used, so that ``ncz --help`` imports click and nothing else.

May import: commands, api and everything below them. Entry points: `main`, `main_gen`, `main_dump`,
`main_ls`, `main_copy`.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import shlex
import sys
import threading
from importlib import import_module
from typing import NoReturn

# Imports and reads make many objects, none of them garbage. Set before click is imported.
gc.set_threshold(500_000, 20, 20)

from ncz.late import imported_later

with imported_later("inspect"):  # which click uses for help only
    import click

from ncz.cli.options import ALL_HELP, COMMON, WIDTH, examples, help_option, print_version
from ncz.cli.terminal import raise_on_signals, run
from ncz.errors import did_you_mean

_LARGEST_BLOCK = (32 << 20) - (1 << 13)
"""The largest object that raises glibc's limits when it is freed: 32 MiB in all."""

COMMANDS = {
    "gen": ("ncz.cli.gen:gen", "Create a store or a netCDF file from CDL text, like ncgen."),
    "dump": ("ncz.cli.dump:dump", "Print a dataset as CDL text, like ncdump."),
    "ls": ("ncz.cli.ls:ls", "List the keys of a store, or the variables of a netCDF file."),
    "copy": ("ncz.cli.copy:copy", "Copy or convert a dataset, like nccopy."),
    "consolidate": (
        "ncz.cli.consolidate:consolidate",
        "Write consolidated metadata to an existing store.",
    ),
    "info": ("ncz.cli.info:info", "Describe a dataset and its storage; --stats adds its values."),
    "view": (
        "ncz.cli.view:view",
        "Show variables as pictures, in a browser, a terminal or a file.",
    ),
    "serve": ("ncz.cli.serve:serve", "Serve datasets as pure Zarr stores over HTTP."),
    "diff": ("ncz.cli.diff:diff", "Print the differences between two datasets."),
    "digest": ("ncz.cli.digest:digest", "Print a digest of names, types, attributes and values."),
    "check": ("ncz.cli.check:check", "Find errors and possible problems in a store."),
    "aggregate": (
        "ncz.cli.aggregate:aggregate",
        "Combine many files into one dataset, without moving data.",
    ),
    "edit": ("ncz.cli.edit:edit", "Change attributes and names in a store or a netCDF file."),
    "config": ("ncz.cli.config:config", "Print the current settings, and where they come from."),
    "completion": (
        "ncz.cli.completion:completion",
        "Print a script that completes commands in a shell.",
    ),
    "mv": ("ncz.cli.mv:mv", "Rename or move a dataset."),
    "rm": ("ncz.cli.rm:rm", "Remove datasets that ncz recognises, and nothing else."),
    "clean": ("ncz.cli.clean:clean", "Remove the leftovers of an unfinished gen or copy."),
}
"""Map each command to the location of its click object and its line of help."""

_OWN = ("-q", "-h", "-V")
"""Options of ncz itself, of one letter."""

_ASKED = ("--help", "--version", "-h", "-V")
"""Options that print something about ncz."""

_OF_SEVERAL = ("copy", "diff", "gen", "dump", "view", "info", "mv")
"""Commands that take several paths."""

_LEAST_COMPARED = 6
"""The length of a word that is compared with the words of other programs, which are many."""

_LEAST_OPERATOR = 7
"""The length of an operator of CDO with its hyphen that cannot be several options of nccopy."""

REMOVING = ("rm", "mv", "clean")
"""Commands that are not proposed for a word that is only like their names."""


def load(name: str) -> click.Command:
    """Import and return the click command `name`."""
    module, _, attribute = COMMANDS[name][0].partition(":")
    command = getattr(import_module(module), attribute)
    assert isinstance(command, click.Command)
    return command


class Commands(click.Group):
    """The group ``ncz``, which imports a command only when it is used."""

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Return the option ``--help``."""
        return help_option(self, ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command `cmd_name`, or None if the name is unknown."""
        return load(cmd_name) if cmd_name in COMMANDS else None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line; one of CDO may begin with its options, or with an operator."""
        if not all(map(str.isascii, args)):
            from ncz.cli.line_order import typed_plainly

            args = [typed_plainly(word) for word in args]
        if args == ["-v"]:
            args = ["--version"]
        if args == ["--version", "--verbose"]:
            print_version(ctx, self.params[0], True, with_optional=True)
        typed = list(args)
        first = args[0] if args else ""
        if first[:1] == "-" and len(args) > 1:
            from ncz.cli.programs.ncdump import is_line_of_ncdump

            if is_line_of_ncdump(args):
                return super().parse_args(ctx, ["dump", *args])
        own = (name for parameter in self.params for name in parameter.opts)
        if first and first not in COMMANDS and first not in (*own, *_OWN, "--help"):
            from ncz.cli.line_order import arrange, remote_of_rclone

            remote = remote_of_rclone(typed)
            if remote is not None:
                raise click.UsageError(
                    f"ncz does not know the remotes of rclone; write s3://BUCKET/KEY for {remote}"
                )
            args = arrange(args, [name for name in COMMANDS if name not in REMOVING])
            first = args[0] if args else ""
        is_option = first[:1] == "-" and first[1:2].isalpha() and first not in _OWN
        if first in COMMANDS:
            is_chain = first == "copy" and any(map(_is_no_option, args[1:]))
        else:
            is_chain = any(map(_is_in_chain, args[1:]))
        if is_option or is_chain or typed[:1] == ["cdo"]:
            args = self._of_cdo(ctx, args)
            if typed[:1] == ["cdo"] and args[:1] and args[0][:1] == "-" and args[0] not in _ASKED:
                raise _beyond_ncz(typed)
        return super().parse_args(ctx, args)

    def _of_cdo(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Return the command line for one of CDO; any other unchanged."""
        from ncz.cli.programs.cdo import cdo_line, chain, join_files

        line = cdo_line(args)
        if line is None:
            if args[0] not in COMMANDS and any(map(_is_in_chain, args[1:])):
                raise _beyond_ncz(["cdo", *args])
            return args
        if len(line.operators) == 1 and not line.options:
            word, files = line.operators[0], [*line.files]
            is_own = word in COMMANDS
            return join_files(word, files) if is_own else self._in_own_words(ctx, word, files)

        def line_of(word: str, files: list[str]) -> list[str] | None:
            if word in COMMANDS:
                return join_files(word, files)
            with contextlib.suppress(click.UsageError):
                return self._in_own_words(ctx, word, files)
            return None

        found = chain(line, line_of)
        if not found:
            raise _beyond_ncz(["cdo", *args])
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; raise a `click.UsageError` with a list if it does not exist."""
        if args[:1] == ["help"]:
            args = [*args[1:2], "--help"]
            if len(args) == 1:
                click.echo(ctx.get_help())
                ctx.exit()
        word = args[0] if args else "-"
        if word not in COMMANDS and not word.startswith("-"):
            if "://" in word or os.path.exists(word):
                return super().resolve_command(ctx, ["info", *args])
            args = self._in_own_words(ctx, word, args[1:])
        count = sum(each == "-" or not each.startswith("-") for each in args[1:])
        if args[:1] and args[0] in _OF_SEVERAL and count > 1:
            from ncz.cli.line_order import (
                name_for_format,
                with_dataset_first,
                with_output,
                with_variables,
                without_fillers,
            )

            args = with_variables(with_dataset_first(with_output(without_fillers(args))))
            line = name_for_format(args)
            if line is not None:
                raise click.UsageError(f"the target is a path or a URL; type: {line}")
        if args[:1] == ["--version"]:
            print_version(ctx, self.params[0], True)
        name, command, rest = super().resolve_command(ctx, args)
        is_pattern = any("://" in each and "*" in each for each in args[1:])
        if command is not None and (is_pattern or count > (name not in ("check", "digest"))):
            from ncz.cli.several_datasets import for_each

            command, rest = for_each(command, rest)
        return name, command, rest

    def _in_own_words(self, ctx: click.Context, word: str, typed: list[str]) -> list[str]:
        """Return the command line for a word of another program.

        Raises `click.UsageError` with the line to type if ncz lacks the command.
        """
        from ncz.cli.programs.habits import answer_of, fill_template, habit_of_command
        from ncz.cli.programs.operators import line_of, only_in_cdo, only_there

        line = line_of(word, typed)
        if line is not None:
            return line
        habit = habit_of_command(word, typed)
        has_no_line = habit is not None and not habit.line
        message = None if has_no_line else only_there(word, typed)
        if message is not None:
            raise click.UsageError(message)
        message = only_in_cdo(word, typed) if habit is None else None
        if message is not None:
            raise click.UsageError(message)
        if habit is None:
            raise click.UsageError(self._unknown_word_message(ctx, word, typed), ctx)
        name, _, value = word.partition(",")
        if not (habit.runs and habit.is_complete(typed, value)):
            _refuse_foreign(typed)
            raise click.UsageError(answer_of(habit, name, typed, value, word))
        return shlex.split(fill_template(habit.line, typed, value))

    def _unknown_word_message(self, ctx: click.Context, word: str, typed: list[str]) -> str:
        """Return the message for a word that nothing has; with the line if a command is like it."""
        import shutil

        from ncz.cli.programs.habits import habits

        proposed = [name for name in COMMANDS if name not in REMOVING]
        hint = did_you_mean(word, proposed, "")
        if hint.count("'") == 2:
            line = shlex.join(("ncz", hint.split("'")[1], *typed))
            return (
                f"unknown command {word!r}; {hint} type: {line}"
                if typed
                else (f"unknown command {word!r}; {hint}")
            )
        others = (
            each
            for habit in habits()
            if not habit.is_option and habit.line.split()[:2] != ["ncz", "rm"]
            for each in habit.words
        )
        if "." in word or "/" in word:
            from ncz.zmap.opening import similar_path

            return f"no file or command is named {word!r}; {similar_path(word) or 'check the path'}"
        known = f"the commands are {', '.join(self.list_commands(ctx))}"
        if len(word) >= _LEAST_COMPARED:
            hint = hint or did_you_mean(word, others, known)
        if not hint and shutil.which(word):
            line = shlex.join((word, *typed))
            return f"{word!r} is another program; type {line} without ncz"
        hint = hint or known
        return f"unknown command {word!r}; {hint}"

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the common options, or all, and the commands."""
        is_whole = ALL_HELP in ctx.meta
        shown = (
            each for each in self.get_params(ctx) if is_whole or getattr(each, "common", False)
        )
        records = [each.get_help_record(ctx) for each in shown]
        with formatter.section("Options"):
            formatter.write_dl([record for record in records if record is not None])
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in self.list_commands(ctx)])


def _is_operator(word: str) -> bool:
    """Return whether a word is an operator of CDO in a chain, such as ``-selname,t``."""
    return word[:1] == "-" and word[1:4].isalpha() and word.partition(",")[0][1:].isalnum()


def _beyond_ncz(line: list[str]) -> click.UsageError:
    """Return the error for a line of another program that ncz supports in part."""
    return click.UsageError(f"ncz cannot do all of this; use {shlex.join(line)}")


def _is_in_chain(word: str) -> bool:
    """Return whether a word is an operator that CDO has, or one with arguments."""
    if not _is_operator(word):
        return False
    from ncz.cli.programs.operators import is_of_cdo

    return "," in word or is_of_cdo(word[1:])


def _is_no_option(word: str) -> bool:
    """Return whether a word is an operator of CDO, and not options of nccopy, which are short."""
    if not (_is_operator(word) and ("," in word or len(word) >= _LEAST_OPERATOR)):
        return False
    from ncz.cli.programs.operators import is_of_cdo

    return is_of_cdo(word[1:].partition(",")[0])


def _refuse_foreign(typed: list[str]) -> None:
    """Raise `ForeignFile` if a file that was typed must be made into another first."""
    from ncz.zmap.foreign import LONGEST_SIGNATURE, foreign, refuse_foreign

    for path in filter(os.path.isfile, typed):
        start = b""
        with contextlib.suppress(OSError), open(path, "rb") as file:
            start = file.read(LONGEST_SIGNATURE)
        known = foreign(start)
        if known is not None and "netCDF" not in known.title:
            refuse_foreign(start, path)


@click.group(
    cls=Commands,
    params=[*COMMON],
    context_settings={"terminal_width": WIDTH, "help_option_names": ["-h", "--help"]},
    epilog=examples(
        "ncz gen weather.cdl -o weather.zarr",
        "ncz dump -h weather.zarr",
        "ncz copy weather.nc weather.zarr",
    ),
)
@click.option(
    "-V",
    "is_version",
    is_flag=True,
    hidden=True,
    expose_value=False,
    is_eager=True,
    callback=print_version,
)
def ncz() -> None:
    """Read, write, convert and check Zarr stores and netCDF files, like ncgen, ncdump and nccopy.

    A dataset is a path or a URL: a Zarr or NCZarr store in a directory or a zip file, a netCDF
    file, a reference set, an aggregation, an Icechunk repository, or a dataset of an OPeNDAP
    server. ncz DATASET describes one, as ncz info does. Each command has its own help, such as
    ncz gen --help, and a manual page: man ncz-gen. Guides are in docs/start of the source
    distribution. After ncz, many lines of NCO and CDO work, such as ncks -v t in.nc out.nc.
    """


def _begin() -> None:
    """Configure the process. Only the programs do this, not the Python API."""
    raise_on_signals()
    # OpenBLAS would start threads, which ncz does not need and which make forking unsafe.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _keep_freed_memory()


def _keep_freed_memory() -> None:
    """Let glibc keep up to 64 MB of freed memory for the next arrays.

    By default it returns the memory of large arrays to the system, which then clears and maps a
    page for every 4 kB of the next ones. A large object that is freed raises the limits (see
    M_MMAP_THRESHOLD in mallopt(3)); its own memory is never touched.
    """
    bytes(_LARGEST_BLOCK)


def _end(code: int) -> NoReturn:
    """End the process without freeing its objects and modules, which takes up to 15 ms."""
    gc.freeze()  # skip the last collection
    threads = threading.enumerate()
    if any(thread.name.startswith("ncz-") for thread in threads):
        # Threads may still wait for a server. Their results are not needed; do not join them.
        with contextlib.suppress(OSError, ValueError):
            _flush()
        os._exit(code)
    if len(threads) == 1:
        atexit._run_exitfuncs()
        with contextlib.suppress(OSError, ValueError):  # `sys.exit` reports it
            _flush()
            os._exit(code)
    sys.exit(code)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # a closed one
            stream.flush()


def main() -> NoReturn:
    """Entry point of ``ncz``."""
    _begin()
    _end(run(ncz, "ncz"))


def _main(name: str) -> NoReturn:
    _begin()
    _end(run(load(name), f"ncz-{name}"))


def main_gen() -> NoReturn:
    """Entry point of ``ncz-gen``."""
    _main("gen")


def main_dump() -> NoReturn:
    """Entry point of ``ncz-dump``."""
    _main("dump")


def main_ls() -> NoReturn:
    """Entry point of ``ncz-ls``."""
    _main("ls")


def main_copy() -> NoReturn:
    """Entry point of ``ncz-copy``."""
    _main("copy")

"""Copy a dataset to CDL text."""

from __future__ import annotations

import contextlib
import math
from contextlib import AbstractContextManager
from typing import BinaryIO

from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.reshape import with_data
from ncz.commands.copy.source import open_source
from ncz.commands.copy.summary import Summary
from ncz.commands.sources import SourceCheck
from ncz.errors import Callbacks, LossError, Notice, note_on_interrupt, option
from ncz.model.tree import dimensions_by_fqn, shape_of, variables_by_fqn
from ncz.record import replace
from ncz.text.names import RequestedData
from ncz.zmap.location import Location


def copy_to_cdl(options: CopyOptions, callbacks: Callbacks) -> Summary:
    """Print the source as CDL to `options.target`, a stream or a path."""
    from ncz.cdl.printer import CdlOptions, print_cdl

    def sort(notice: Notice) -> None:
        if notice.lost and not options.create.allow_loss:
            raise LossError(
                notice.message, notice.location, f"use {option('allow_loss', True)} to omit it"
            )
        callbacks.notify(notice)

    check = SourceCheck()
    is_path = isinstance(options.target, str)
    note = f"{options.target} was not changed" if is_path else "the text is incomplete"
    with (
        note_on_interrupt(note),
        open_source(options, replace(callbacks, notify=sort), check=check) as dataset,
        _text_target(options) as target,
    ):
        wanted = with_data(dataset.root, options.reshape)
        is_all = options.reshape.data_of is None and options.reshape.data_of_groups is None
        named = None if is_all else tuple(sorted(wanted))
        cdl = CdlOptions(requested=RequestedData(variables=named))
        lengths = dimensions_by_fqn(dataset.root)
        printed = (shape_of(v, lengths) for f, v in variables_by_fqn(dataset.root) if f in wanted)
        callbacks.progress.expect(sum(map(math.prod, printed)), "values")
        print_cdl(dataset, cdl, target.write, callbacks.partial(options.create.allow_loss))
        check()
    return Summary(variables=len(wanted), ways={"write": len(wanted)})


def _text_target(options: CopyOptions) -> AbstractContextManager[BinaryIO]:
    """Return the stream that the text is written to. A file is complete or not created."""
    assert not isinstance(options.target, Location)
    if not isinstance(options.target, str):
        return contextlib.nullcontext(options.target)
    from ncz.zmap.local.creation import create_output

    return create_output(options.target, overwrite=options.create.overwrite)

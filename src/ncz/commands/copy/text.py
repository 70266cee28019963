"""Copy a dataset to CDL text."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Iterator

from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.reshape import with_data
from ncz.commands.copy.source import open_source
from ncz.commands.copy.summary import Summary
from ncz.commands.sources import SourceCheck
from ncz.errors import (
    LossError,
    NczError,
    Notice,
    Notify,
    StoreExists,
    note_if_interrupted,
    raise_error,
    report_unreadable,
)
from ncz.model.progress import Progress
from ncz.model.tree import dimensions_by_fqn, shape_of, variables_by_fqn


def copy_to_cdl(options: CopyOptions, notify: Notify, progress: Progress) -> Summary:
    """Print the source as CDL to `options.target`, a stream or a path."""
    from ncz.cdl.print.printer import CdlOptions, print_cdl

    def sort(notice: Notice) -> None:
        if notice.lost and not options.allow_loss:
            raise LossError(notice.message, notice.location, "use --allow-loss to omit it")
        notify(notice)

    on_error = report_unreadable(notify) if options.allow_loss else raise_error
    check = SourceCheck()
    is_path = isinstance(options.target, str)
    note = f"{options.target} was not changed" if is_path else "the text is incomplete"
    with (
        note_if_interrupted(note),
        open_source(options, sort, check=check, progress=progress) as dataset,
        _text_target(options) as write,
    ):
        wanted = with_data(dataset.root, options.reshape)
        is_all = options.reshape.data_of is None and options.reshape.data_of_groups is None
        cdl = CdlOptions(variables=None if is_all else tuple(sorted(wanted)))
        lengths = dimensions_by_fqn(dataset.root)
        printed = (shape_of(v, lengths) for f, v in variables_by_fqn(dataset.root) if f in wanted)
        progress.expect(sum(map(math.prod, printed)), "values")
        print_cdl(dataset, cdl, write, notify, on_error, progress)
        check()
    return Summary(variables=len(wanted), ways={"write": len(wanted)})


@contextlib.contextmanager
def _text_target(options: CopyOptions) -> Iterator[Callable[[bytes], object]]:
    """Give a function that writes the text. A file is created complete or not at all."""
    if not isinstance(options.target, str):
        yield options.target.write
        return
    from ncz.zmap.local.names import partial_name
    from ncz.zmap.os_errors import storage_error

    path = options.target
    if os.path.lexists(path) and not options.overwrite:
        raise StoreExists("already exists", path, "use --overwrite to replace it")
    partial = os.path.join(os.path.dirname(os.path.abspath(path)), partial_name())
    try:
        with open(partial, "xb") as file:
            yield file.write
        os.replace(partial, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(partial)
        if isinstance(error, OSError) and not isinstance(error, NczError):
            raise storage_error(error, path, "write") from error
        raise

"""Open a master as one dataset over its pieces."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial

from ncz.errors import Notify
from ncz.formats.aggregation.aggregated_variable import Aggregation, PieceAccess
from ncz.formats.aggregation.conventions import without_convention
from ncz.formats.aggregation.forms import form_of
from ncz.formats.aggregation.kept_digests import stored_digest, without_digest
from ncz.formats.aggregation.marks import CF_MARKS, CFA_MARKS, is_aggregated, text_of
from ncz.formats.aggregation.master import AggregatedVariable, Master, resolve
from ncz.formats.aggregation.master_form import MasterForm
from ncz.formats.aggregation.piece_values import canonical
from ncz.formats.aggregation.seals import plain_name, stored_seals, without_seals
from ncz.formats.aggregation.source import AggregatedSource
from ncz.formats.kinds import OpenedDataset, OpenOptions
from ncz.formats.open_datasets import MOST_OPEN, OpenDatasets, OpenOne
from ncz.model.tree import (
    Dataset,
    Group,
    Storage,
    Variable,
    join,
    parent,
    shape_of,
    variables_by_fqn,
    walk,
)
from ncz.record import replace
from ncz.zmap.fragment import SEALS
from ncz.zmap.reference.targets import Targets
from ncz.zmap.s3netcdf4 import read_budgets
from ncz.zmap.source_file import SourceFile


@contextmanager
def open_aggregation(
    opened: OpenedDataset, options: OpenOptions, notify: Notify, open_piece: OpenOne
) -> Iterator[OpenedDataset]:
    """Show a master that is open as the dataset that it describes.

    Parameters
    ----------
    opened
        The master as stored.
    options
        How it was opened.
    notify
        Receives notices of pieces that are skipped, if `options.keep_going` is set.
    open_piece
        Opens a piece.

    Yields
    ------
    OpenedDataset
        The dataset; its pieces are closed when the context ends.

    Raises
    ------
    FormatError
        If the master is not valid. The description of the pieces is read with the first values
        only.
    """
    location = opened.location
    is_uri = any(
        form.has_uris
        for _, variable in variables_by_fqn(opened.dataset.root)
        if is_aggregated(variable) and (form := form_of(variable)) is not None
    )
    seals = {} if location.options.get(SEALS) == "off" else stored_seals(opened.dataset.root)
    plain = {plain_name(name, is_uri=is_uri): seal for name, seal in seals.items()}
    with closing(Targets(location, location.address, "aggregation", plain)) as targets:
        most = options.open_pieces or read_budgets(os.environ).files or MOST_OPEN
        pieces = OpenDatasets(open_piece, most)
        with closing(pieces):
            access = PieceAccess(
                pieces=pieces,
                locate=targets.location,
                check=targets.require_seal,
                state=targets.state,
                skip=notify if options.keep_going else None,
                seals=seals,
            )
            dataset = aggregated_dataset(opened.dataset, location.address, access)
            is_described = dataset is not opened.dataset
            yield replace(
                opened,
                dataset=dataset,
                sources=partial(_sources, dataset, targets) if is_described else opened.sources,
                survives_fork=opened.survives_fork and not is_described,
            )


def _sources(dataset: Dataset, targets: Targets) -> Iterator[SourceFile]:
    """Yield the known facts about the files of all pieces."""
    files: dict[str, None] = {}
    for _, variable in variables_by_fqn(dataset.root):
        if isinstance(variable.data, AggregatedSource):
            files.update(dict.fromkeys(variable.data.aggregation.files()))
    yield from targets.states(files)


def aggregated_dataset(dataset: Dataset, url: str, access: PieceAccess) -> Dataset:
    """Return the dataset that a master describes.

    Raises `FormatError` if the master is not valid.
    """
    master = Master.of(dataset, url)
    variables: dict[str, Variable] = {}
    names: dict[str, None] = {}
    own: set[str] = set()
    for fqn, variable in master.variables.items():
        form = form_of(variable) if is_aggregated(variable) else None
        if form is not None:
            aggregated = _aggregated_variable(fqn, variable, form, master)
            own.update(form.own(aggregated))
            variables[fqn] = _whole_variable(aggregated, form, access)
            names[form.name] = None
    if not variables:
        return dataset
    used = _used_dimensions(master.variables, variables, own)
    described = {
        name
        for fqn, variable in master.variables.items()
        if _is_own(fqn, own)
        for name in variable.dimensions
    }
    root = _visible(dataset.root, "", variables, own, described - used)
    return replace(
        dataset,
        root=replace(root, attributes=without_convention(without_seals(root.attributes))),
        provenance=replace(dataset.provenance, aggregation=", ".join(names)),
    )


def _aggregated_variable(
    fqn: str, variable: Variable, form: MasterForm, master: Master
) -> AggregatedVariable:
    """Return an aggregated variable with its dimensions."""
    aggregated = AggregatedVariable(
        fqn=fqn, stored=variable, dimensions=(), shape=(), master=master
    )
    names = text_of(variable, form.dimensions)
    if names is None:
        raise aggregated.error(f"the aggregated variable has no attribute {form.dimensions}")
    dimensions = []
    for name in names.split():
        found = resolve(name, parent(fqn), master.dimensions)
        if found is None:
            raise aggregated.error(f"the dimension {name!r} of {form.dimensions} does not exist")
        dimensions.append(found)
    complete = replace(variable, dimensions=tuple(dimensions))
    return replace(
        aggregated,
        dimensions=complete.dimensions,
        shape=shape_of(complete, dict(master.dimensions)),
    )


def _whole_variable(
    aggregated: AggregatedVariable, form: MasterForm, access: PieceAccess
) -> Variable:
    """Return an aggregated variable as a whole."""
    stored, marks = aggregated.stored, CF_MARKS if form.converts else CFA_MARKS
    variable = replace(
        stored,
        dimensions=aggregated.dimensions,
        attributes=tuple(a for a in without_digest(stored) if a.name not in marks),
        storage=Storage(),
        axis_names=None,
        data=None,
    )
    target = canonical(variable, converts=form.converts)
    aggregation = Aggregation(aggregated, form, target, access)
    kept = stored_digest(stored)
    sums = kept.sums if kept is not None and kept.shape == aggregated.shape else None
    return replace(variable, data=AggregatedSource(aggregation, sums=sums))


def _is_own(fqn: str, own: Collection[str]) -> bool:
    """Return whether a variable only describes an aggregated variable, or is in such a group."""
    while fqn:
        if fqn in own:
            return True
        fqn = parent(fqn)
    return False


def _used_dimensions(
    variables: Mapping[str, Variable], aggregated: Mapping[str, Variable], own: Collection[str]
) -> set[str]:
    """Return the dimensions of the variables that are visible."""
    visible = (aggregated.get(fqn, v) for fqn, v in variables.items() if not _is_own(fqn, own))
    return {name for variable in visible for name in variable.dimensions}


def _visible(
    group: Group,
    fqn: str,
    aggregated: Mapping[str, Variable],
    own: Collection[str],
    unused: Collection[str],
) -> Group:
    """Return a group without members that only describe aggregated variables."""
    groups = []
    for inner in group.groups:
        path = join(fqn, inner.name)
        if path in own:
            continue
        visible_group = _visible(inner, path, aggregated, own, unused)
        if _has_contents(visible_group) or not _has_contents(inner):
            groups.append(visible_group)
    paths = {variable.name: join(fqn, variable.name) for variable in group.variables}
    return replace(
        group,
        dimensions=tuple(d for d in group.dimensions if join(fqn, d.name) not in unused),
        variables=tuple(
            aggregated.get(paths[v.name], v)
            for v in group.variables
            if not _is_own(paths[v.name], own)
        ),
        groups=tuple(groups),
    )


def _has_contents(group: Group) -> bool:
    return any(
        (each.variables, each.attributes, each.types, each.dimensions) != ((), (), (), ())
        for _, each in walk(group)
    )

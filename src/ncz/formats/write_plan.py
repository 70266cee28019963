"""Plans of new datasets of any format.

Copies know this class, and the classes of `ncz.model.encoded_arrays` for the arrays, but no format.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

from ncz.errors import NO_PROGRESS, LossError, Notice, Notify, Progress, UrlError, option
from ncz.model.tree import Dataset, Provenance, Variable
from ncz.record import record
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from ncz.model.encoded_arrays import ArrayStore, TargetArray
    from ncz.zmap.claim import Claim


def refuse_to_resume(claim: Claim | None, target: str, location: Location) -> None:
    """Raise `UrlError` if a resumed copy has a target that is written in one step."""
    if claim is not None and claim.is_asked:
        raise UrlError(
            f"a copy to {target} cannot be resumed",
            location.display,
            f"omit {option('resume', True)}",
        )


def refuse_losses(losses: Sequence[Notice], allowed: bool, notify: Notify) -> None:
    """Report the losses if they are allowed; otherwise raise `LossError`, which lists them all."""
    if allowed:
        for notice in losses:
            notify(notice)
    elif losses:
        listed = "; ".join(map(_located_message, losses))
        raise LossError(
            f"the target cannot represent everything: {listed}",
            hint=f"use {option('allow_loss', True)}, or write another form (nothing was written)",
        )


def refuse_losses_of(
    form: str,
    losses: Sequence[Notice],
    dataset: Dataset,
    notify: Notify,
    *,
    allowed: bool,
    use: str,
) -> None:
    """Report the losses of the form of a served dataset, if they are allowed.

    Parameters
    ----------
    form
        The form, for the message.
    losses
        The parts of the dataset that the form cannot represent.
    dataset
        The dataset.
    notify
        Receives the losses.
    allowed
        Whether the option for losses is given.
    use
        The effect of this option on the rest, for the hint: "leave out".

    Raises
    ------
    LossError
        If there are losses, and they are not allowed.
    """
    if losses and not allowed:
        raise LossError(
            f"{form} cannot represent everything: {'; '.join(map(str, losses))}",
            dataset.name,
            f"use {option('allow_loss', True)} to {use} the rest",
        )
    for notice in losses:
        notify(notice)


def refuse_codecs(faults: Iterable[tuple[str, str | None]]) -> None:
    """Raise `LossError` if there are faults of the codecs of variables, which it names by FQN."""
    found = [f"variable {fqn}: {fault}" for fqn, fault in faults if fault is not None]
    if found:
        hint = f"choose other codecs with {option('codecs')}; nothing was written"
        raise LossError("; ".join(found), hint=hint)


def _located_message(notice: Notice) -> str:
    if notice.is_left_behind and notice.location:
        return f"{notice.location}: {notice.message}"
    return notice.message


@record
class StorageChange:
    """A storage property of the source that the target does not keep.

    `requested` is true if an option asks for the change, or for a format that makes it necessary.
    """

    message: str
    requested: bool


WriteArray = Callable[["TargetArray", "ArrayStore"], int]
"""A function that writes the values of one array, and returns the number of its stored chunks."""

ReportSize = Callable[[int], None]
"""A function that takes the size, in bytes, of each chunk that is written."""


def ignore_size(size: int, /) -> None:
    """Do nothing."""


@record
class BesideChunks:
    """The number of the objects of a dataset that are not chunks, and their bytes."""

    objects: int
    size: int


SumsOf = Callable[[str, Variable, tuple[int, ...]], str]
"""A function that returns the sums of the values of a variable.

Its arguments are the FQN, the variable, whose data are the written values, and the shape.
"""


class WritePlan(ABC):
    """The plan of a dataset at a location; nothing is written before `write`."""

    __slots__ = ()

    @property
    @abstractmethod
    def arrays(self) -> Sequence[TargetArray]:
        """The plan of each variable."""

    @property
    @abstractmethod
    def losses(self) -> Sequence[Notice]:
        """Losses for a reader of the target."""

    @property
    @abstractmethod
    def form(self) -> str:
        """The form of the target in words, such as "NCZarr, Zarr V2"."""

    @property
    @abstractmethod
    def details(self) -> Mapping[str, Any]:
        """The form of the target for scripts, as members of a JSON object."""

    @property
    def identity(self) -> str:
        """A text that two plans share if and only if one can resume the other.

        It is the form where no creation can be resumed.
        """
        return self.form

    def beside_chunks(self) -> BesideChunks | None:
        """Return the size of the objects other than chunks; None if all is in one object."""
        return None

    def with_sums(self, sums_of: SumsOf) -> WritePlan | None:
        """Return the same plan with sums of values in the target; None if it cannot keep them.

        docs/reference/digest.md specifies the sums.
        """
        return None

    def has_metadata(self) -> bool:
        """Return whether the target exists with all metadata that `write` would give it."""
        return False

    def is_stored(self, dataset: Dataset) -> bool:
        """Return whether a dataset that was opened from the target is stored as planned.

        It is false where no creation can be resumed.
        """
        return False

    def changes(self, source: Provenance, requested: RequestedChanges) -> Iterable[StorageChange]:
        """Return the storage properties of the source that the target does not preserve."""
        return ()

    def remarks(self, source: Location | None) -> Iterator[Notice]:
        """Yield notices for the user after a copy from `source`."""
        return iter(())

    @abstractmethod
    def check_codecs(self, fqns: Set[str]) -> None:
        """Raise `LossError` if chunks of one of these variables cannot be encoded."""

    @abstractmethod
    def write(
        self,
        write_array: WriteArray | None = None,
        *,
        overwrite: bool,
        claim: Claim | None = None,
        check: Callable[[], None] = lambda: None,
        progress: Progress = NO_PROGRESS,
    ) -> None:
        """Write the dataset, completely or not at all.

        Parameters
        ----------
        write_array
            Writes the values of one array; by default, `write_values` does.
        overwrite
            Whether to replace an existing dataset at the location.
        claim
            The identity of the write, if it can be resumed.
        check
            Called when all arrays are written; if it raises, the dataset does not appear.
        progress
            Receives the values that are written without `write_array`.
        """

    @abstractmethod
    def write_values(
        self, array: TargetArray, store: ArrayStore, report: ReportSize = ignore_size
    ) -> int:
        """Write the values of the variable's source; return the number of chunks.

        `report` is called with the size of each chunk that was written.
        """


@record(kw_only=True)
class RequestedChanges:
    """Changes that the options of a copy request; the user needs no notice of them."""

    chunks: bool = False
    codecs: bool = False
    shards: bool = False
    separator: bool = False

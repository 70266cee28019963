"""The modes of the location of a new store: like its source, and of a form."""

from __future__ import annotations

from ncz.errors import UrlError
from ncz.formats.zarr.readers.forms import Form
from ncz.formats.zarr.readers.programs import TextForm
from ncz.model.tree import Provenance
from ncz.record import replace
from ncz.zmap.kinds import kind_of_name
from ncz.zmap.location import Location
from ncz.zmap.opening import zarr_format_of


def form_of(location: Location, char: str | None = None, text: TextForm | None = None) -> Form:
    """Return the form that the modes of a location describe."""
    return Form(
        flavour="zarr" if location.pure else "nczarr",
        zarr_format=3 if "v3" in location.modes else 2,
        char=char,
        text=text,
    )


def is_zip(location: Location) -> bool:
    """Return whether a store that is created at a location is a zip file."""
    return "zip" in (location.kind, kind_of_name(location.path))


def with_form(location: Location, form: Form) -> Location:
    """Return the location with the modes of a form."""
    modes = location.modes - {"nczarr", "zarr", "v2", "v3"}
    modes |= {"nczarr", f"v{form.zarr_format}"} | ({"zarr"} if form.flavour == "zarr" else set())
    return replace(location, modes=modes)


def is_allowed(form: Form, location: Location) -> bool:
    """Return whether the modes that a user gave allow a form."""
    modes = location.modes
    if "nczarr" in modes and form.flavour != ("zarr" if "zarr" in modes else "nczarr"):
        return False
    return not modes & {"v2", "v3"} or f"v{form.zarr_format}" in modes


def like_source(location: Location, source: Provenance) -> Location:
    """Return the target's location with the modes that make it a store like the source.

    Parameters
    ----------
    location
        The target, with the modes that the user gave.
    source
        How the source is stored. A text has no form, and its target is NCZarr V2 by default.
    """
    modes = set(location.modes)
    only = zarr_format_of(location)
    if only is not None:
        if ({"v2", "v3"} - {f"v{only}"}) & modes:
            raise UrlError(
                f"such a store contains Zarr V{only} only",
                location.display,
                "omit the other version",
            )
        modes |= {f"v{only}"} if "nczarr" in modes else {"nczarr", "zarr", f"v{only}"}
        return replace(location, modes=frozenset(modes))
    if source.zarr_format is not None:
        if "nczarr" not in modes and not source.superblock:
            modes |= {"nczarr", "zarr"}
        if not modes & {"v2", "v3"} and source.zarr_format == 3:
            modes.add("v3")
    elif source.is_file and "nczarr" not in modes:
        modes |= {"nczarr", "zarr"}
    return replace(location, modes=frozenset(modes))


def with_consolidated(
    location: Location, source: Provenance, consolidated: bool | None, *, annotates: bool
) -> Location:
    """Return the target's location with the mode for consolidated metadata, if it gets them.

    It does if the source has them, or if annotations are written.

    Parameters
    ----------
    location
        The target, with the modes of its form.
    source
        How the source is stored.
    consolidated
        Whether the user requested consolidated metadata; None without a request.
    annotates
        Whether there is something to annotate in pure Zarr.
    """
    is_annotated = "zarr" in location.modes and annotates
    if consolidated is None and (source.consolidated or is_annotated):
        return replace(location, modes=location.modes | {"consolidated"})
    if consolidated is False:
        return replace(location, modes=location.modes - {"consolidated"})
    return location

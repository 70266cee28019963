"""The features of a dataset that affect readers, in each form of a store, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from ncz.formats.zarr.documents.dimensions import names_to_write
from ncz.formats.zarr.readers.programs import Feature
from ncz.model.encoded_arrays import EncodedSource
from ncz.model.tree import (
    Dataset,
    Variable,
    attributes_of,
    dimensions_by_fqn,
    is_not_finite,
    join,
    missing_fill,
    parent,
    variables_by_fqn,
    walk,
)
from ncz.model.type_sizes import fixed_size
from ncz.model.types import Atomic, Compound, Enumeration, Opaque, Vlen
from ncz.record import field, record

if TYPE_CHECKING:
    from ncz.formats.zarr.readers.forms import Flavour, Form


FEATURE_WORDS: Mapping[Feature, str] = MappingProxyType(
    {
        ("format", "nczarr-v2"): "NCZarr in Zarr V2",
        ("format", "zarr-v2"): "pure Zarr V2",
        ("format", "nczarr-v3"): "NCZarr in Zarr V3",
        ("format", "zarr-v3"): "pure Zarr V3",
        ("char", ">S1"): "char as >S1",
        ("char", "|S1"): "char as |S1",
        ("char", "uint8"): "char as uint8",
        ("char", "bytes"): "char as null_terminated_bytes",
        ("scalar", "[1]"): "scalars of shape [1]",
        ("scalar", "[]"): "scalars of shape []",
        ("string", "fixed"): "strings as fixed-length bytes",
        ("string", "vlen"): "strings as vlen-utf8",
        ("string", "string"): "strings of the data type string",
        ("fill", "masked"): "elements that were never written, which it masks without a _FillValue",
        ("filled", "text"): "a fill_value that is text, and not base64",
        ("masked", "string"): "a _FillValue of the data type string",
        ("masked", "bytes"): "a _FillValue of text of a fixed length",
        ("bytes", "fixed"): "text of a fixed length",
        ("bytes", "unicode"): "text of a fixed length in UTF-32",
        ("bytes", "v3"): "the data types null_terminated_bytes or fixed_length_utf32",
        ("void", "structure"): "compound or opaque values",
        ("vlen", "array"): "vlen values as vlen-array",
        ("vlen", "text"): "vlen values as text",
        ("number", "bare-v2"): "NaN or infinity in attributes of Zarr V2",
        ("number", "bare-v3"): "NaN or infinity as bare words in attributes of Zarr V3",
        ("number", "text"): "NaN or infinity as text in attributes",
        ("lengths", "nczarr"): "dimensions with one name and several lengths in a group",
        ("lengths", "zarr"): "dimensions with one name and several lengths in a group",
        ("hidden", "dimension"): "a dimension that hides one of another length in a parent group",
        ("names", "none"): "arrays without names of dimensions",
        ("enum", "number"): "values of an enum as numbers",
        ("zip", "folder"): "a zip file with its keys below a folder",
        ("zip", "root"): "a zip file with its keys at the root",
    }
)
"""Every feature in words."""


_KEPT_AS: Mapping[Feature, str] = MappingProxyType(
    {
        ("string", "string"): "O",
        ("string", "vlen"): "O",
        ("bytes", "fixed"): "S",
        ("bytes", "unicode"): "U",
        ("bytes", "v3"): "SU",
    }
)
"""Strings of a source of pure Zarr that are the example of a feature; see `Contents.kept`."""


@record(kw_only=True)
class Contents:
    """Features of a dataset that affect readers: a variable of each kind, for messages."""

    examples: Mapping[str, str] = field(default_factory=dict)
    """"char", "scalar", "string", "byte" (a string of one byte), "masked" (a string with a mask),
    "masked-char" (char with one), "filled" (a string with a fill), "filled-char" (char with one),
    "number" (an attribute that is NaN or infinite), "enum", "void",
    "vlen", "object" (text in every version), "names" (an array whose store gives no names
    of axes), "lengths" (a name with several lengths in a
    group), "hidden" (a dimension that hides one of another length) or "zip" -> the FQN of a
    variable, attribute or dimension, or "" for the store."""
    kept: Mapping[str, str] = field(default_factory=dict)
    """The storage of strings in a source of pure Zarr, kept by pure Zarr: "S", "U" or "O" -> the
    FQN of a variable."""

    def features(self, form: Form) -> Iterator[Feature]:
        """Yield the features of the dataset stored in `form`."""
        is_netcdf_c = form.name == "nczarr-v2"
        yield "format", form.name
        if "char" in self.examples:
            v2 = form.char or (">S1" if form.flavour == "nczarr" else "|S1")
            yield "char", v2 if form.zarr_format == 2 else _char_v3(form.flavour)
        if "scalar" in self.examples:
            yield "scalar", "[1]" if is_netcdf_c else "[]"
        strings = list(self._strings(form))
        yield from strings
        if "masked" in self.examples and not form.stands_in:
            if ("string", "string") in strings:
                yield "masked", "string"
            elif ("bytes", "v3") in strings:
                yield "masked", "bytes"
        if "masked-char" in self.examples and form.name == "zarr-v3":
            yield "masked", _char_v3(form.flavour)
        if is_netcdf_c and (
            ("filled" in self.examples and ("string", "fixed") in strings)
            or ("filled-char" in self.examples and form.char == "|S1")
        ):
            yield "filled", "text"
        if "enum" in self.examples:
            yield "enum", "number"
        if "void" in self.examples:
            yield "void", "structure"
        if "vlen" in self.examples:
            is_array = form.name == "zarr-v2" and form.text != "vlen"
            yield "vlen", "array" if is_array else "text"
        if "object" in self.examples:
            yield "vlen", "text"
        if "names" in self.examples:
            yield "names", "none"
        if "number" in self.examples:
            yield "number", number_form(form.flavour, form.zarr_format)
        if "lengths" in self.examples:
            yield "lengths", form.flavour
        if "hidden" in self.examples:
            yield "hidden", "dimension"
        if "zip" in self.examples:
            yield "zip", "folder" if form.flavour == "nczarr" else "root"

    def _strings(self, form: Form) -> Iterator[Feature]:
        if not self.examples.keys() & {"string", "byte"}:
            return
        if self.kept and form.flavour == "zarr":
            yield from self._kept_strings(form)
            return
        has_bytes = "byte" in self.examples and form.name == "zarr-v3"
        if has_bytes:
            yield "bytes", "v3"
        if "string" in self.examples or not has_bytes:
            yield "string", "string" if form.zarr_format == 3 else form.text or "fixed"

    def _kept_strings(self, form: Form) -> Iterator[Feature]:
        if "O" in self.kept:
            yield "string", "string" if form.zarr_format == 3 else "vlen"
        fixed = [kind for kind in "SU" if kind in self.kept]
        if fixed and form.zarr_format == 3:
            yield "bytes", "v3"
        else:
            yield from (("bytes", "fixed" if kind == "S" else "unicode") for kind in fixed)

    def words(self, features: Iterable[Feature]) -> str:
        """Return features as words, each with an example."""
        words = []
        for feature in dict.fromkeys(features):
            subjects = ["byte", "string"] if feature[0] == "bytes" else [feature[0], "byte"]
            if feature == ("vlen", "text"):
                subjects.insert(0, "object")
            if feature == ("masked", "bytes"):
                subjects.insert(0, "masked-char")
            if feature == ("filled", "text"):
                subjects.append("filled-char")
            kinds = _KEPT_AS.get(feature, "")
            own = next((self.kept[kind] for kind in kinds if kind in self.kept), None)
            example = own or next((self.examples[s] for s in subjects if s in self.examples), None)
            words.append(FEATURE_WORDS[feature] + (f" ({example})" if example else ""))
        return " and ".join(words)


def _char_v3(flavour: Flavour) -> str:
    return "uint8" if flavour == "nczarr" else "bytes"


def number_form(flavour: str, zarr_format: int, *, strict: bool = False) -> str:
    """Return the spelling of attributes that are NaN or infinite.

    `strict` says whether the store has only valid JSON.
    """
    if strict or (flavour == "nczarr" and zarr_format == 3):
        return "text"
    return f"bare-v{zarr_format}"


def contents_of(dataset: Dataset, *, zipped: bool) -> Contents:
    """Return the features of a dataset that affect readers. `zipped` is true for a zip file."""
    examples: dict[str, str] = {"zip": ""} if zipped else {}
    kept: dict[str, str] = {}
    is_pure = dataset.provenance.is_pure_zarr
    left_out = _MASKED if is_pure and dataset.provenance.zarr_format == 2 else ()
    for fqn, variable in variables_by_fqn(dataset.root):
        for subject in _subjects(variable):
            if subject not in left_out:
                examples.setdefault(subject, fqn)
        if names_to_write(variable, pure=is_pure) is None:
            examples.setdefault("names", fqn)
        if is_pure and variable.type is Atomic.STRING and isinstance(variable.data, EncodedSource):
            kept.setdefault(str(variable.data.stored_dtype).lstrip("<>|=")[:1], fqn)
    for node, attribute in attributes_of(dataset.root):
        if is_not_finite(attribute):
            examples.setdefault("number", f"{node.removeprefix('/')}:{attribute.name}")
    for subject, fqn in _conflicts(dataset, pure=is_pure):
        examples.setdefault(subject, fqn)
    return Contents(examples=examples, kept=kept)


_MASKED = ("masked", "masked-char")
"""Masks of text, which Zarr V3 does not get from pure Zarr V2; see `writing.visibility`."""


def _conflicts(dataset: Dataset, *, pure: bool) -> Iterator[tuple[str, str]]:
    """Yield the names of dimensions that readers without scopes of dimensions take for one."""
    sizes = {fqn: dimension.size for fqn, dimension in dimensions_by_fqn(dataset.root).items()}
    above: dict[str, dict[str, set[int]]] = {}
    for fqn, group in walk(dataset.root):
        own: dict[str, set[int]] = {}
        for variable in group.variables:
            names = names_to_write(variable, pure=pure) or ()
            for name, dimension in zip(names, variable.dimensions, strict=False):
                if isinstance(name, str):
                    own.setdefault(name, set()).add(sizes[dimension])
        outer = above.get(parent(fqn), {}) if fqn else {}
        for name, lengths in own.items():
            if len(lengths) > 1:
                yield "lengths", join(fqn, name)
            elif outer.get(name, lengths) != lengths:
                yield "hidden", join(fqn, name)
        above[fqn] = {**outer, **own}


def _subjects(variable: Variable) -> Iterator[str]:
    fill = missing_fill(variable) if variable.mask is None else variable.mask
    is_filled = isinstance(fill, str) and bool(fill.strip("\0"))
    if variable.type is Atomic.CHAR:
        yield "char"
        if is_filled:
            yield "filled-char"
        if variable.mask is not None:
            yield "masked-char"
    if variable.type is Atomic.STRING:
        yield "byte" if variable.holds_bytes else "string"
        if is_filled:
            yield "filled"
        if variable.mask is not None:
            yield "masked"
    if not variable.dimensions:
        yield "scalar"
    if isinstance(variable.type, Enumeration):
        yield "enum"
    if isinstance(variable.type, Vlen) and fixed_size(variable.type.base):
        yield "object" if isinstance(variable.type.base, Compound) else "vlen"
    elif isinstance(variable.type, Compound | Opaque | Vlen):
        yield "void" if fixed_size(variable.type) else "object"

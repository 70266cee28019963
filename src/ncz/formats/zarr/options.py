"""How a Zarr store is written: what a user can choose, and the form that readers need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from ncz.codec.catalogue import codec_id
from ncz.errors import NczError, did_you_mean, option
from ncz.formats.zarr.dimensions import names_to_write
from ncz.formats.zarr.dtypes import BOOLEAN
from ncz.formats.zarr.readers import READERS, ChunkForm, Feature, Reader, TextForm
from ncz.model.chunks import ChunkLayout, in_order
from ncz.model.encoded import EncodedSource
from ncz.model.filters import with_whole_elements
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
from ncz.model.types import Atomic, Compound, Enumeration, Opaque, Vlen
from ncz.model.user_types import fixed_size
from ncz.record import field, record

Flavour = Literal["nczarr", "zarr"]
"""With NCZarr's annotations, or pure Zarr."""


MOST_FILLED = 64 << 20
"""Most bytes of chunks of equal values that a copy adds to a store for each array."""


@record(kw_only=True)
class WriteOptions:
    """How to write a store."""

    flavour: Flavour = "nczarr"
    zarr_format: int = 2
    xarray: bool = True
    """Write the names of dimensions where xarray reads them."""
    consolidated: bool = False
    """Also write consolidated metadata."""
    annotations: bool = True
    """In pure Zarr, note beside consolidated metadata what pure Zarr cannot say."""
    separator: str | None = None
    """"." or "/", between the indices of a chunk's key; None keeps the source's, or is "."."""
    char: str | None = None
    """The dtype of char, ">S1" or "|S1"; the default is ">S1" in NCZarr and "|S1" in pure Zarr."""
    text: TextForm | None = None
    """How strings of Zarr V2 are stored; the default is "vlen" with annotations, else "fixed"."""
    irregular: bool = True
    """Keep the chunks of a source that have different lengths, in Zarr V3."""
    avoided: frozenset[ChunkForm] = frozenset()
    """Forms of chunks that readers of the store do not decode."""
    only_filters: bool = False
    """Write a compressor of Zarr V2 as the last filter, as kerchunk does for chunks of files."""
    masks_default_fill: bool | None = None
    """Leave chunks of netCDF's default fill missing in NCZarr V2, as netcdf-c does. xarray takes
    their `fill_value` for the mask. None does it where netcdf-c has written the source, too."""
    most_filled: int = MOST_FILLED
    """Most bytes of chunks of netCDF's default fill that are written for each array, so that
    nothing masks them."""
    truncate_strings: bool = False
    """Truncate strings that are longer than declared, instead of refusing them."""

    @property
    def pure(self) -> bool:
        """True for Zarr without NCZarr's annotations."""
        return self.flavour == "zarr"

    @property
    def annotated(self) -> bool:
        """True for pure Zarr with annotations beside consolidated metadata."""
        return self.pure and self.consolidated and self.annotations

    @property
    def text_form(self) -> TextForm:
        """How strings of Zarr V2 are stored: readers show objects as text, and others as bytes."""
        return self.text or ("vlen" if self.annotated else "fixed")

    @property
    def char_dtype(self) -> str:
        """The dtype of char."""
        return self.char or ("|S1" if self.pure else ">S1")


AS_NETCDF_C = WriteOptions()
"""NCZarr as netcdf-c writes it."""


# The form of a store that all of some programs read, by the table `ncz.formats.zarr.readers`.

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
        ("string", "fixed"): "strings as bytes of a fixed length",
        ("string", "vlen"): "strings as vlen-utf8",
        ("string", "string"): "strings of the data type string",
        ("fill", "masked"): "never-written elements, which it masks though no _FillValue says so",
        ("filled", "text"): "a fill_value that is text, and not base64",
        ("masked", "string"): "a _FillValue of the data type string",
        ("masked", "bytes"): "a _FillValue of the data type null_terminated_bytes",
        ("bytes", "fixed"): "text of a fixed length",
        ("bytes", "unicode"): "text of a fixed length in UTF-32",
        ("bytes", "v3"): "the data types null_terminated_bytes or fixed_length_utf32",
        ("void", "structure"): "compound or opaque values",
        ("vlen", "array"): "vlen values as vlen-array",
        ("vlen", "text"): "vlen values as text",
        ("number", "bare-v2"): "NaN or infinity in attributes of Zarr V2",
        ("number", "bare-v3"): "NaN or infinity as bare words in attributes of Zarr V3",
        ("number", "text"): "NaN or infinity as text in attributes",
        ("lengths", "nczarr"): "dimensions of one name with several lengths in a group",
        ("lengths", "zarr"): "dimensions of one name with several lengths in a group",
        ("hidden", "dimension"): "a dimension that hides one of another length of a group above",
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
"""Which strings of a source of pure Zarr are the example of a feature; see `Contents.kept`."""


class AudienceError(NczError, ValueError):
    """No form of a dataset serves all readers that were asked for."""

    exit_code = 2


@record(kw_only=True)
class Form:
    """A form in which a dataset can be stored.

    `stands_in` says whether masks of strings are annotated, and `missing_value` stands for them.
    """

    flavour: Flavour
    zarr_format: int
    char: str | None = None
    text: TextForm | None = None
    stands_in: bool = False

    @property
    def name(self) -> str:
        """The flavour and the version."""
        return f"{self.flavour}-v{self.zarr_format}"


FORMS: Sequence[Form] = (
    Form(flavour="nczarr", zarr_format=2),
    Form(flavour="nczarr", zarr_format=3),
    Form(flavour="zarr", zarr_format=2),
    Form(flavour="zarr", zarr_format=2, text="vlen"),
    Form(flavour="zarr", zarr_format=3),
)
"""The forms that are tried, in order: those that hold all of netCDF first."""


@record(kw_only=True)
class Contents:
    """What of a dataset matters to readers: a variable of each kind, for messages."""

    examples: Mapping[str, str] = field(default_factory=dict)
    """"char", "scalar", "string", "byte" (a string of one byte), "masked" (a string with a mask),
    "masked-char" (char with one), "filled" (a string with a fill), "filled-char" (char with one),
    "number" (an attribute that is NaN or infinite), "enum", "void",
    "vlen", "object" (what is text in every version), "names" (an array whose store gives no names
    of axes), "lengths" (a name with several lengths in a
    group), "hidden" (a dimension that hides one of another length) or "zip" -> the FQN of a
    variable, attribute or dimension, or "" for the store."""
    kept: Mapping[str, str] = field(default_factory=dict)
    """How strings lie in a source of pure Zarr, and stay in pure Zarr: "S", "U" or "O" -> the FQN
    of a variable."""

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
        if "masked" in self.examples and ("string", "string") in strings and not form.stands_in:
            yield "masked", "string"
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
            yield "vlen", "array" if form.zarr_format == 2 else "text"
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
        for feature in features:
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


def number_form(flavour: str, zarr_format: int) -> str:
    """Return how attributes that are NaN or infinite are written."""
    if flavour == "nczarr" and zarr_format == 3:
        return "text"
    return f"bare-v{zarr_format}"


def contents_of(dataset: Dataset, *, zipped: bool) -> Contents:
    """Return what of a dataset matters to readers. `zipped` is true for a zip file."""
    examples: dict[str, str] = {"zip": ""} if zipped else {}
    kept: dict[str, str] = {}
    is_pure = dataset.provenance.zarr_format is not None and not dataset.provenance.superblock
    for fqn, variable in variables_by_fqn(dataset.root):
        for subject in _subjects(variable):
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


def readers_named(names: Iterable[str]) -> tuple[Reader, ...]:
    """Return readers by name. Raises `AudienceError` for a name that is not in the table."""
    readers = []
    for name in dict.fromkeys(names):
        if name not in READERS:
            raise AudienceError(
                f"unknown reader {name!r}",
                option("audience"),
                did_you_mean(name, READERS, f"known readers are {', '.join(READERS)}"),
            )
        readers.append(READERS[name])
    return tuple(readers)


def choose_form(
    contents: Contents, readers: Sequence[Reader], forms: Sequence[Form] = FORMS
) -> Form:
    """Return the first form that all readers read.

    Parameters
    ----------
    contents
        What the dataset has.
    readers
        The readers to serve.
    forms
        The forms that are possible, the preferred first.

    Raises
    ------
    AudienceError
        If no form serves them; it names two readers that cannot be served together, or one that
        cannot be served at all, and says why.
    """
    served = {
        reader.name: [form for form in forms if not _problems(contents, form, reader)]
        for reader in readers
    }
    for form in forms:
        if all(form in readable for readable in served.values()):
            return form
    for reader in readers:
        if not served[reader.name]:
            why = _problems(contents, forms[0], reader)
            raise AudienceError(
                f"{reader.name} cannot read {contents.words(why)}",
                option("audience"),
                f"omit {option('modes')}, {option('zarr_format')} and {option('char')},"
                " or choose a directory",
            )
    first, second = _rivals(readers, served)
    form = served[first.name][0]
    why = _problems(contents, form, second)
    raise AudienceError(
        f"{first.name} and {second.name} cannot both read one store: {first.name} needs"
        f" {contents.words(why)}, which {second.name} does not read",
        option("audience"),
        "write one store for each",
    )


def _rivals(
    readers: Sequence[Reader], served: Mapping[str, Sequence[Form]]
) -> tuple[Reader, Reader]:
    """Return two readers that no form serves; if each two have one, the first and the last."""
    for i, one in enumerate(readers):
        for other in readers[i + 1 :]:
            if not any(form in served[other.name] for form in served[one.name]):
                pair = (one, other)
                return pair if len(served[one.name]) <= len(served[other.name]) else pair[::-1]
    return readers[0], readers[-1]


def _problems(contents: Contents, form: Form, reader: Reader) -> list[Feature]:
    return [feature for feature in contents.features(form) if feature in reader.unread]


def refused_chunks(readers: Iterable[Reader], zarr_format: int) -> frozenset[ChunkForm]:
    """Return the forms of chunks that some of the readers do not decode."""
    refused = [r.refused | (r.refused_v2 if zarr_format == 2 else r.refused_v3) for r in readers]
    return frozenset().union(*refused)


def refused_forms(
    layout: ChunkLayout, dtype: object, reader: Reader, zarr_format: int
) -> list[str]:
    """Return the forms of the chunks of an array of a dtype that a reader does not decode."""
    refused = refused_chunks([reader], zarr_format)
    return [form for form in _chunk_forms(layout, dtype) if form in refused] if refused else []


def _chunk_forms(layout: ChunkLayout, dtype: object) -> Iterator[ChunkForm]:
    if str(dtype)[:1] == ">" and dtype != ">S1":
        yield "big-endian elements"
    if layout.order != in_order(layout.rank, "C"):
        yield "the axis order F"
    codecs = [codec.to_json() for codec in layout.inner_codecs]
    if any(codec_id(codec) == "zstd" and codec.get("checksum") for codec in codecs):
        yield "zstd with a checksum"
    if any(codec_id(codec) == "zstd" and _is_negative(codec.get("level")) for codec in codecs):
        yield "zstd of a level below zero"
    if with_whole_elements(layout.inner_codecs) != layout.inner_codecs:
        yield "shuffle of a part of an element"
    if dtype != BOOLEAN and any(codec_id(codec) == "packbits" for codec in codecs):
        yield "packbits of numbers"


def _is_negative(level: object) -> bool:
    return isinstance(level, int) and level < 0


def common_codecs(readers: Iterable[Reader], zarr_format: int) -> frozenset[str] | None:
    """Return the ids of the codecs that all readers decode; None for all of numcodecs."""
    common: frozenset[str] | None = None
    for reader in readers:
        codecs = reader.codecs_v2 if zarr_format == 2 else reader.codecs_v3
        if codecs is not None:
            common = codecs if common is None else common & codecs
    return common

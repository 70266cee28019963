"""Print the header of a dataset as NcML 2.2, like ``ncdump -x``.

ncdump supports the classic model only. Its part of a dataset is printed byte for byte as there,
except where that would not be XML (docs/reference/differences.md); groups and other types as
netCDF-Java reads them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from ncz.errors import AS_JSON, Notice, Notify, ignore_notice, without_secrets
from ncz.model.tree import Attribute, Dataset, Group, Variable, base_name, join
from ncz.model.types import Atomic, Compound, Enumeration, NcType, Opaque, UserType, Vlen
from ncz.record import record
from ncz.text.format_values import Precision, encode_text, format_attribute_number, format_value
from ncz.text.names import SelectedNames

NAMESPACE = "https://www.unidata.ucar.edu/namespaces/netcdf/ncml-2.2"

_TYPES = {Atomic.INT64: "long", Atomic.UINT64: "ulong", Atomic.STRING: "String"}
_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
    | {control: f"&#x{ord(control):X};" for control in "\t\n\r"}
)
_SEPARATORS = "|;,: \t\n~"
"""Separators for lists of texts: the first that is in none of them is used."""


def print_ncml(
    dataset: Dataset,
    write: Callable[[bytes], object],
    *,
    location: str,
    selection: SelectedNames | None = None,
    header_only: bool = False,
    precision: Precision | None = None,
    notify: Notify = ignore_notice,
) -> None:
    """Write the header of a dataset as NcML.

    Parameters
    ----------
    write
        Called with UTF-8 text.
    location
        The path or URL of the dataset, which is written without secrets.
    selection, header_only
        As in ncdump, only the elements of variables whose data would not be printed are empty tags.
    """
    selected = SelectedNames() if selection is None else selection
    ncml = _Ncml(precision or Precision(), selected, header_only, notify)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<netcdf xmlns="{NAMESPACE}" location="{ncml.text(without_secrets(location))}">',
        *ncml.group(dataset.root, "", 1, {}),
        "</netcdf>",
    ]
    write(encode_text("".join(f"{line}\n" for line in lines)))


@record
class _Ncml:
    precision: Precision
    selection: SelectedNames
    header_only: bool
    notify: Notify

    def text(self, text: str, what: str = "") -> str:
        """Escape text; characters that XML does not allow become U+FFFD, with a notice."""
        if _NOT_XML.search(text):
            self.notify(
                Notice(
                    "character-replaced",
                    "characters that XML does not allow are replaced by U+FFFD",
                    location=what or None,
                    hint=f"use {AS_JSON} to see them",
                )
            )
            text = _NOT_XML.sub("\ufffd", text)
        return text.translate(_ESCAPES)

    def group(self, group: Group, fqn: str, level: int, outer: Mapping[str, str]) -> Iterator[str]:
        """Yield the contents of a group. `outer` has the FQN of each dimension name in scope."""
        margin = "  " * level
        scope = {**outer, **{d.name: join(fqn, d.name) for d in group.dimensions}}
        for user_type in group.types:
            yield from self.enumeration(user_type, margin)
        for dimension in group.dimensions:
            unlimited = ' isUnlimited="true"' if dimension.unlimited else ""
            name = self.text(dimension.name)
            yield f'{margin}<dimension name="{name}" length="{dimension.size}"{unlimited} />'
        for attribute in group.attributes:
            yield margin + self.attribute(attribute, fqn)
        for variable in group.variables:
            yield from self.variable(variable, fqn, margin, scope)
        for child in group.groups:
            yield f'{margin}<group name="{self.text(child.name)}">'
            yield from self.group(child, join(fqn, child.name), level + 1, scope)
            yield f"{margin}</group>"

    def enumeration(self, user_type: UserType, margin: str) -> Iterator[str]:
        """Yield the definition of an enum; other types are written out at their use."""
        if not isinstance(user_type, Enumeration):
            return
        name = self.text(base_name(user_type.name))
        yield f'{margin}<enumTypedef name="{name}" type="enum{user_type.base.size}">'
        for label, value in user_type.members:
            yield f'{margin}  <enum key="{value}">{self.text(label)}</enum>'
        yield f"{margin}</enumTypedef>"

    def attribute(self, attribute: Attribute, place: str) -> str:
        """Return an attribute. Text, the default, has no type; a list of strings has one."""
        path = f"{join(place, '') if place else ''}{attribute.name}"
        head = f'<attribute name="{self.text(attribute.name)}"'
        if attribute.type is Atomic.CHAR or not attribute.values:
            text = "".join(attribute.values).rstrip("\0")
            return f'{head} value="{self.text(text, path)}" />'
        if isinstance(attribute.type, Compound | Opaque | Vlen):
            values = (format_value(v, attribute.type, self.precision) for v in attribute.values)
            self.notify(
                Notice(
                    "attribute-as-text",
                    "the attribute is written as CDL text, as NcML lacks its type",
                    location=path,
                    hint=f"use {AS_JSON} for its values",
                )
            )
            return head + self.strings([", ".join(values)], path)
        if attribute.type is Atomic.STRING:
            return head + self.strings([v or "" for v in attribute.values], path)
        numbers = " ".join(self.number(v, attribute.type) for v in attribute.values)
        return f'{head} type="{_type_name(attribute.type)}" value="{self.text(numbers)}" />'

    def strings(self, texts: Sequence[str], place: str) -> str:
        """Return type and value of a list of strings."""
        if len(texts) == 1:
            return f' type="String" value="{self.text(texts[0], place)}" />'
        whole = "".join(texts)
        mark = next((s for s in _SEPARATORS if s not in whole), "\x1f")
        separator = self.text(mark, place)
        value = self.text(mark.join(texts), place)
        return f' type="String" separator="{separator}" value="{value}" />'

    def number(self, value: float, nc_type: NcType) -> str:
        """Format one number as in CDL, without the suffix for its type."""
        if not isinstance(nc_type, Atomic):
            return str(value)
        if nc_type.is_integer:
            return str(value)
        text = format_attribute_number(value, nc_type, self.precision)
        return text.removesuffix("f") if nc_type is Atomic.FLOAT else text

    def variable(
        self, variable: Variable, group: str, margin: str, scope: Mapping[str, str]
    ) -> Iterator[str]:
        """Yield a variable and its attributes."""
        path = join(group, variable.name)
        names = [
            base_name(fqn) if scope.get(base_name(fqn)) == fqn else fqn
            for fqn in variable.dimensions
        ]
        inner = [f"{margin}  {self.attribute(a, path)}" for a in variable.attributes]
        inner = [*self.fields(variable.type, f"{margin}  "), *inner]
        has_data = self.selection.has_group(group) and self.selection.has_variable(path)
        yield from self.element(
            variable.name,
            variable.type,
            names,
            inner,
            margin,
            closed=not inner and (self.header_only or not has_data),
        )

    def fields(self, nc_type: NcType, margin: str) -> Iterator[str]:
        """Yield the members of a compound type, also of one whose values are in lists."""
        if isinstance(nc_type, Vlen):
            nc_type = nc_type.base
        if not isinstance(nc_type, Compound):
            return
        for part in nc_type.fields:
            inner = list(self.fields(part.type, f"{margin}  "))
            shape = [str(n) for n in part.shape]
            yield from self.element(part.name, part.type, shape, inner, margin, closed=not inner)

    def element(
        self,
        name: str,
        nc_type: NcType,
        shape: Sequence[str],
        inner: Sequence[str],
        margin: str,
        *,
        closed: bool,
    ) -> Iterator[str]:
        """Yield a variable, or a member of a structure."""
        lengths = [*shape, "*"] if isinstance(nc_type, Vlen) else shape
        shape_text = f' shape="{self.text(" ".join(lengths))}"' if lengths else ""
        typedef = ""
        if isinstance(nc_type, Enumeration):
            typedef = f' typedef="{self.text(base_name(nc_type.name))}"'
        kind = _type_name(nc_type)
        head = f'{margin}<variable name="{self.text(name)}"{shape_text} type="{kind}"{typedef}'
        if closed:
            yield f"{head} />"
        else:
            yield f"{head}>"
            yield from inner
            yield f"{margin}</variable>"


def _type_name(nc_type: NcType) -> str:
    """Return NcML's name of a type (`DataType` in its schema)."""
    match nc_type:
        case Atomic():
            return _TYPES.get(nc_type, nc_type.word)
        case Enumeration(base=base):
            return f"enum{base.size}"
        case Opaque():
            return "opaque"
        case Vlen(base=base):
            return _type_name(base)
        case Compound():
            return "Structure"

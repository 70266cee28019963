"""The keyword arguments of functions: their annotations, and their descriptions in docstrings.

A function has them in its signature, or in a group that it unpacks: ``**selection:
Unpack[SelectionKeywords]``.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ncz.commands.option_error import OptionError
from ncz.errors import did_you_mean

_UNPACKED = re.compile(r"Unpack\[(\w+)\]")
_SECTION = re.compile(
    r"^(?:Parameters|Attributes)\n-+\n(.*?)(?=^\w+\n--|\Z)", re.MULTILINE | re.DOTALL
)
_ENTRY = re.compile(r"^(\S.*)\n((?:    .*\n|\n)+)", re.MULTILINE)


def annotations_of(function: Callable[..., Any]) -> dict[str, str]:
    """Return the annotations of the arguments of a function, by name."""
    found: dict[str, str] = {}
    for name, annotation in function.__annotations__.items():
        groups = _groups(annotation)
        for group in groups:
            own = group.__annotations__.items()
            found |= {key: str(getattr(text, "__forward_arg__", text)) for key, text in own}
        if not groups:
            found[name] = annotation
    found.pop("return", None)
    return found


@functools.cache
def descriptions_of(function: Callable[..., Any]) -> Mapping[str, str]:
    """Return the first paragraphs of the descriptions of the arguments of a function, by name."""
    found = _descriptions(function.__doc__)
    for annotation in function.__annotations__.values():
        for group in _groups(annotation):
            found |= _descriptions(group.__doc__)
    return found


def _groups(annotation: str) -> Sequence[type]:
    match = _UNPACKED.fullmatch(annotation)
    if match is None:
        return ()
    from ncz.commands import keyword_groups

    name = match[1]
    return keyword_groups.PARTS.get(name) or (getattr(keyword_groups, name),)


def _descriptions(docstring: str | None) -> dict[str, str]:
    from inspect import cleandoc

    section = _SECTION.search(cleandoc(docstring or "") + "\n")
    if section is None:
        return {}
    return {
        name: " ".join(entry[2].strip().split("\n\n")[0].split())
        for entry in _ENTRY.finditer(section[1])
        for name in entry[1].split(", ")
    }


def choices_of(annotation: str) -> tuple[str, ...]:
    """Return the texts of ``Literal[...]``."""
    listed = re.search(r"Literal\[(.*?)\]", annotation, re.DOTALL)
    return tuple(re.findall(r"[\"'](.*?)[\"']", listed[1])) if listed else ()


_SIZES = ("chunk_size", "max_piece", "memory", "min_chunk_size")
"""Keywords whose values are bytes."""


def with_sizes(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return keywords with the bytes of sizes such as ``"10MB"``. Raises `OptionError`."""
    texts = {name: given[name] for name in _SIZES if isinstance(given.get(name), str)}
    if not texts:
        return given
    from ncz.text.sizes import parse_size

    sizes = {name: parse_size(text) for name, text in texts.items()}
    for name, size in sizes.items():
        if size is None:
            raise OptionError(f"{name} cannot be {texts[name]!r}", hint='write "10MB"')
    return {**given, **sizes}


def in_own_words(
    function: Callable[..., Any], arguments: tuple[Any, ...], given: Mapping[str, Any]
) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    """Return the arguments of a call, with ncz's keywords for the keywords of other libraries.

    Raises
    ------
    TypeError
        If a keyword is not known, and there is an answer to it.
    OptionError
        If ncz has no equivalent of a keyword of another library.
    """
    if "." in function.__qualname__ or (not given and len(arguments) < 2):
        return arguments, given
    if len(arguments) > 1:
        from ncz.commands.gathered_keywords import with_keywords

        arguments, given = with_keywords(function.__name__, arguments, given)
    known = annotations_of(function)
    if known.keys() >= given.keys():
        return arguments, given
    from ncz.commands.foreign_keywords import answer, convert_keywords, locate_arguments, with_group
    from ncz.commands.gathered_keywords import gather
    from ncz.commands.xarray_encodings import with_encoding

    if "encoding" in given and "encoding" not in known:
        arguments, given = with_encoding(arguments, given)
    if "group" in given and "group" not in known:
        arguments, given = with_group(arguments, given)
    given = gather(given, known)
    own = dict(given)
    for name in own.keys() - known.keys():
        if name == "storage_options":
            arguments = locate_arguments(arguments, own.pop(name))
            continue
        found = convert_keywords(name, known, given)
        if found is not None:
            del own[name]
            own |= found
        elif "options" not in known and answer(name) is not None:
            raise TypeError(f"{function.__name__}() has no argument {name!r}; {answer(name)}")
    return arguments, own


def check_keywords(function: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Check the keyword arguments of a call, as far as Python does not.

    Raises
    ------
    TypeError
        If a function that unpacks keywords has no keyword with a name.
    OptionError
        If an argument that is one of several texts is another one.
    """
    if "." in function.__qualname__:
        return  # a method, which checks its own
    has_texts = any(isinstance(value, str) for value in given.values())
    unpacks = any(annotation[:7] == "Unpack[" for annotation in function.__annotations__.values())
    if not (has_texts or unpacks):
        return
    known = annotations_of(function)
    for name, value in given.items():
        if unpacks and name not in known:
            raise TypeError(
                f"{function.__name__}() got an unexpected keyword argument {name!r}"
                + _similar(name, known)
            )
        choices = choices_of(known.get(name, "")) if isinstance(value, str) else ()
        if choices and value not in choices:
            valid = ", ".join(map(repr, choices))
            raise OptionError(f"{name} cannot be {value!r}", hint=f"choose {valid}")


def _similar(name: str, known: Iterable[str]) -> str:
    hint = did_you_mean(name, known, "")
    return f"; {hint}" if hint else ""

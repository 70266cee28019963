"""Pages for people. Names and texts of datasets are never markup."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from urllib.parse import quote

from ncz.commands.serve.served_store import ServedStore

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}"
    "code,pre{background:#8882;padding:.1em .3em;border-radius:3px;overflow-wrap:anywhere}"
    "pre{overflow:auto;padding:.6em}:root{color-scheme:light dark}"
)


def _html(title: str, body: str) -> str:
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>'
        f"<body><h1>{escape(title)}</h1>{body}</body></html>\n"
    )


def front_page(stores: Mapping[str, ServedStore], base: str) -> str:
    """Return the page that lists the datasets of a server."""
    links = [
        link
        for name, store in stores.items()
        for link in ((name, "/"), *(() if store.face is None else ((f"{name}.nc", ""),)))
    ]
    items = "".join(
        f'<li><a href="{escape(quote(name))}{end}">{escape(name)}</a>'
        f" <code>{escape(base + quote(name))}</code></li>"
        for name, end in links
    )
    return _html("Datasets", f"<ul>{items}</ul>")


def store_page(name: str, store: ServedStore, key: str, names: list[str]) -> str:
    """Return the page of a group, which lists its members."""
    links = []
    for each in names:
        below = f"{key}/{each}" if key else each
        end = "" if store.zmap.is_document(below) else "/"
        # A colon in the first part of a relative address would end a scheme.
        links.append(f'<li><a href="./{escape(quote(each))}{end}">{escape(each)}{end}</a></li>')
    summary = f"<pre>{escape(store.summary)}</pre>" if not key else ""
    return _html(f"{name}/{key}".rstrip("/"), f"<ul>{''.join(links)}</ul>{summary}")

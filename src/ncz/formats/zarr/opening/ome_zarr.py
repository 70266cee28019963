"""OME-Zarr images: dimension names that are given in the group instead of its arrays.

The arrays are one image at several resolutions, so that an axis has another length at each. Where
it differs from the first resolution's, the dimension's name ends in the array's path.

Source: the OME-Zarr specification 0.4 (on Zarr V2) and 0.5 (on V3), "multiscales".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ncz.formats.zarr.documents.hierarchy import ArrayNode, GroupNode
from ncz.formats.zarr.json import Json
from ncz.record import replace


def with_axes(node: GroupNode) -> GroupNode:
    """Return the tree with the dimension names that multiscales give to arrays without names."""
    arrays, groups = node.arrays, tuple(with_axes(group) for group in node.groups)
    changed = replace(node, arrays=arrays, groups=groups)
    for axes, paths in _images(node.attributes):
        first: tuple[int, ...] | None = None
        for path in paths:
            array = _find(changed, path.split("/"))
            if array is None or len(array.document.layout.shape) != len(axes):
                continue
            shape = array.document.layout.shape
            first = first or shape
            names = tuple(
                axis if length == ours else f"{axis}_{path.replace('/', '_')}"
                for axis, length, ours in zip(axes, shape, first, strict=True)
            )
            if array.dimension_names is None and array.note is None:
                changed = _put(changed, path.split("/"), replace(array, axes=names))
    return changed


def _images(attributes: Mapping[str, Json]) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the names of the axes and the paths of the arrays of each image."""
    ome = attributes.get("ome")
    images = (ome if isinstance(ome, dict) else attributes).get("multiscales")
    for image in images if isinstance(images, list) else ():
        if not isinstance(image, dict):
            continue
        axes, datasets = image.get("axes"), image.get("datasets")
        if not isinstance(axes, list) or not isinstance(datasets, list):
            continue
        names = [a.get("name") if isinstance(a, dict) else a for a in axes]
        paths = [d.get("path") for d in datasets if isinstance(d, dict)]
        if all(isinstance(n, str) and n and "/" not in n for n in names):
            yield [str(n) for n in names], [p for p in paths if isinstance(p, str) and p]


def _find(group: GroupNode, path: list[str]) -> ArrayNode | None:
    if len(path) == 1:
        return next((a for a in group.arrays if a.name == path[0]), None)
    inner = next((g for g in group.groups if g.name == path[0]), None)
    return None if inner is None else _find(inner, path[1:])


def _put(group: GroupNode, path: list[str], array: ArrayNode) -> GroupNode:
    if len(path) == 1:
        arrays = tuple(array if a.name == path[0] else a for a in group.arrays)
        return replace(group, arrays=arrays)
    groups = tuple(_put(g, path[1:], array) if g.name == path[0] else g for g in group.groups)
    return replace(group, groups=groups)

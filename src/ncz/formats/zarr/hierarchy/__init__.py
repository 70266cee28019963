"""The tree of groups and arrays of a store, from its metadata documents.

`nodes` holds the tree and the protocols that every version of Zarr fulfils, `v2` and `v3` read the
documents of one version each, and `versions` is the table of them. `listing` compares documents
with what the store lists, `hybrid` those of two versions in one store.

May import: array, document, element, json, nczarr, zmap, errors.
"""

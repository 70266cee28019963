"""The metadata documents of a store that is written: `v2` and `v3` for one version each.

May import: plan, mapping, nczarr, document, element, json, model, zmap.
"""

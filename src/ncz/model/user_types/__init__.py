"""User-defined types: their sizes and limits, and JSON for their declarations and values.

Doors: `declarations` has a type as a JSON object and back, `encode` and `decode` have its values,
`limits` says which types are too large, `sizes` how many bytes a value has. The JSON is specified
in docs/json.md; Zarr stores use it too (docs/user-types.md).

May import: model.types, errors.
"""

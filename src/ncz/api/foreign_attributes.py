"""Names that people look for on an open dataset or variable, from netCDF4, zarr-python and h5py."""

from __future__ import annotations

from collections.abc import Mapping

_MADE = "variables and groups are made by ncz.gen and ncz.copy, which write a dataset"
_ATTRIBUTES = "use .attrs.update(...), of a dataset that ncz.open(url, 'r+') opened, or ncz.edit"
_NAMES = "use ncz.edit, which renames in a store"
_LENGTHS = "use ncz.copy(..., append='time'), which makes a store longer"
_AS_STORED = "values are as stored; ncz.open(..., unpack=True) unpacks and masks them"

_ROWS: Mapping[str, str] = {
    "dimensions get_dims": "use .dims",
    "chunking": "use .chunks",
    "compressor compressors filters serializer compression compression_opts shuffle fletcher32"
    " quantization metadata order endian": "use .codecs and .encoding",
    "datatype": "use .dtype",
    "fillvalue get_fill_value": "use .fill_value",
    "maxshape": "use .shape; unlimited dimensions are in .unlimited_dims of the dataset",
    "value getValue get_basic_selection get_orthogonal_selection get_block_selection oindex blocks"
    " read_direct asstr": "use [...]",
    "vindex get_coordinate_selection get_mask_selection": "use [...], and numpy on the result",
    "iter_chunks": "use [...] with slices along .chunks",
    "info info_complete": "print it, or use ncz.info(...)",
    "nchunks nchunks_initialized cdata_shape nbytes_stored": "use ncz.info(...)",
    "summary": "print it",
    "tree": "print it, or use ncz.ls(...)",
    "array_keys array_values arrays get_array members nmembers visit visititems"
    " get_variables_by_attributes": "use .variables",
    "group_keys group_values get_group": "use .groups",
    "cmptypes enumtypes vltypes": "use .record, which has the types",
    "data_model file_format disk_format": "use ncz.info(...).format",
    "store store_path filename file": "use .filepath()",
    "basename": "use .name",
    "isopen read_only mode": "ncz.open(url, 'r+') opens a dataset to change it",
    "createVariable createDimension createGroup createCompoundType createEnumType createVLType"
    " create create_array create_group create_hierarchy create_dataset create_dataset_like"
    " create_virtual_dataset build_virtual_dataset require_array require_dataset require_group"
    " require_groups empty empty_like full full_like ones ones_like zeros zeros_like"
    " fromcdl": _MADE,
    "tocdl": "use ncz.dump(...)",
    "setncattr_string update_attributes": _ATTRIBUTES,
    "renameAttribute renameVariable renameDimension renameGroup move": _NAMES,
    "append resize": _LENGTHS,
    "assignValue set_basic_selection set_orthogonal_selection set_block_selection"
    " set_coordinate_selection set_mask_selection write_direct":
    "use [...] = values, of a dataset that ncz.open(url, 'r+') opened",
    "sync flush": "each change is written at once",
    "mask scale always_mask set_always_mask set_auto_mask set_auto_scale"
    " set_auto_maskandscale": _AS_STORED,
    "chartostring set_auto_chartostring set_ncstring_attrs set_fill_on set_fill_off"
    " set_collective": "omit it",
}  # fmt: skip
"""Names with the same meaning, and what ncz has instead."""

OTHERS: Mapping[str, str] = {name: hint for names, hint in _ROWS.items() for name in names.split()}
"""Each name, and what ncz has instead."""

"""Reference sets: keys whose bytes are in other files, as kerchunk writes them.

A set is a JSON text or a folder of Parquet files. It gives for each key its bytes, or a `ByteRange`
of a file: the target. A set may come from anyone, so that it is data, and the places it may lead to
are limited (`ncz.zmap.permissions`).

`json_set` and `parquet` read sets, `json_writer` and `parquet_writer` write them, `targets` reads
the files that they refer to, `reader` joins both to a store, and `opening` and `creation` open and
create stores.

May import: errors, record, and the rest of `ncz.zmap`. Entry point: `opening.REFERENCE`, by the
table `ncz.zmap.kinds`.

Source: the reference specification of kerchunk and fsspec, with versions 0 and 1 and the Parquet
layout.
"""

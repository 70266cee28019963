"""The Parquet layout of reference sets: a folder with a file for every few thousand chunks.

The documents of arrays are in one JSON file. Row n of file k of an array is the chunk whose number,
in C order, is k times the record size plus n.

May import: errors, record, and the rest of `ncz.zmap`. Entry points: `reader.ParquetSet` and
`writer.parquet_files`.

Source: the specification of Parquet references in fsspec and kerchunk.
"""

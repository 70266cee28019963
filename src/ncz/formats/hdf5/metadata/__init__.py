"""The metadata of HDF5 files, read without the HDF5 library.

Source: HDF5 File Format Specification Version 3.0 (and 4.0 for additions of HDF5 2.0). Docstrings
name its sections.

Everything is bounded: each range is compared with the size of the file, no node of an index is read
twice, and all metadata that are read together have a limit in proportion to the size of the file.

May import: `ncz.record`. Only indexes of chunks need numpy.
Entry point: `file.open_metadata`.
"""

"""Datasets on OPeNDAP servers, by the protocols DAP2 and DAP4, for reading.

`ncz.formats.dap.reader` opens them. Only the description of a dataset is fetched then: its DDS and
DAS (`dds`, `das`, `dap2`), or its DMR (`dmr`). Values are requested a chunk at a time, by
constraint expressions, and decoded by `xdr` or `dap4`. All requests go through `server`, which
limits the bytes of each answer, and follows only permitted redirects.

Source: "The Data Access Protocol - DAP 2.0" (NASA ESE-RFC-004) and "DAP4: Specification Volume 1"
(OPeNDAP).
"""

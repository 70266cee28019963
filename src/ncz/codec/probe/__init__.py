"""Checks of encoded chunks that do not decode them: lengths, headers and checksums.

May import: codec, errors. Entry point: `headers.probe_for`.
"""

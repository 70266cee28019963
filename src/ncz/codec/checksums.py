"""Codecs that add a checksum before or after the bytes.

Source: the Zarr specification of the codec crc32c.
"""

from __future__ import annotations

from ncz.codec import (
    Bytes,
    Codec,
    Elements,
    Hdf5Spelling,
    Parameter,
    Stage,
    V3Spelling,
    by_numcodecs,
    choice,
    integer,
    to_bytes,
)

_LOCATION = choice("location", None, "start", "end")


class _Checksum(Codec):
    kind = "checksum"
    keeps_size = True
    added_bytes = 4


class Fletcher32(_Checksum):
    """Fletcher's checksum, as HDF5 computes it."""

    id = "fletcher32"
    hdf5 = Hdf5Spelling(3)
    v3 = by_numcodecs("fletcher32")
    short = ()


class Crc32(_Checksum):
    """The checksum of zlib and gzip."""

    id = "crc32"
    parameters = (_LOCATION,)
    v3 = by_numcodecs("crc32")
    short = ()


class Crc32c(_Checksum):
    """The checksum of Zarr V3, which puts it at the end."""

    id = "crc32c"
    parameters = (_LOCATION,)
    v3 = V3Spelling("crc32c", (), (("location", "end"),))
    install = "pip install 'numcodecs[crc32c]'"

    def encode(self, value: Bytes | Elements, stage: Stage) -> Bytes | Elements:
        """Add the checksum; numcodecs is needed only for one at the start."""
        if stage.configuration.get("location") == "end":
            return with_crc32c(to_bytes(value))
        return super().encode(value, stage)

    def decode(self, value: Bytes | Elements, stage: Stage) -> Bytes | Elements:
        """Verify and remove the checksum."""
        if stage.configuration.get("location") == "end":
            return _without_crc32c(to_bytes(value))
        return super().decode(value, stage)


def with_crc32c(data: bytes) -> bytes:
    """Append the checksum to the data, little-endian."""
    import google_crc32c

    return data + int(google_crc32c.value(data)).to_bytes(4, "little")


def _without_crc32c(data: bytes) -> bytes:
    """Remove the checksum from the data. Raises `ValueError` if the two do not match."""
    import google_crc32c

    content = data[:-4]
    if len(data) < 4 or google_crc32c.value(content) != int.from_bytes(data[-4:], "little"):
        raise ValueError("its checksum is wrong")
    return content


class Adler32(_Checksum):
    """The checksum of zlib."""

    id = "adler32"
    parameters = (_LOCATION,)
    v3 = by_numcodecs("adler32")
    short = ()


class JenkinsLookup3(_Checksum):
    """Jenkins's lookup3, as HDF5 computes it for metadata."""

    id = "jenkins_lookup3"
    parameters = (integer("initval", 0, 0, 2**32 - 1), Parameter("prefix"))
    v3 = by_numcodecs("jenkins_lookup3")


CODECS = (Fletcher32(), Crc32c(), Crc32(), Adler32(), JenkinsLookup3())

"""The checksum of Zarr V3: CRC32C, in the last four bytes, little-endian.

Source: the Zarr specification of the codec crc32c.
"""

from __future__ import annotations


def with_checksum(data: bytes) -> bytes:
    """Append the checksum to the data."""
    import google_crc32c

    return data + int(google_crc32c.value(data)).to_bytes(4, "little")


def without_checksum(data: bytes) -> bytes:
    """Remove the checksum from the data. Raises `ValueError` if the two do not match."""
    import google_crc32c

    content = data[:-4]
    if len(data) < 4 or google_crc32c.value(content) != int.from_bytes(data[-4:], "little"):
        raise ValueError("its checksum is wrong")
    return content

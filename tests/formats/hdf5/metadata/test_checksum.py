"""The checksums of many structures together, compared with numcodecs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from numcodecs.jenkins import jenkins_lookup3

from ncz.formats.hdf5.metadata.checksum import Checksums


@given(st.lists(st.tuples(st.binary(max_size=70), st.booleans()), max_size=40))
def test_wrong_ones_are_found_among_right_ones(structures):
    checksums = Checksums()
    for address, (data, is_right) in enumerate(structures):
        value = jenkins_lookup3(data, 0) ^ (not is_right)
        checksums.add(address, data, value.to_bytes(4, "little"))
    expected = {address for address, (_, is_right) in enumerate(structures) if not is_right}
    assert checksums.wrong() == expected


def test_large_structures():
    checksums = Checksums()
    data = bytes(range(256)) * 4000
    checksums.add(1, data, jenkins_lookup3(data, 0).to_bytes(4, "little"))
    checksums.add(2, data, b"\0\0\0\0")
    checksums.add(3, data[:-1], jenkins_lookup3(data[:-1], 0).to_bytes(4, "little"))
    assert checksums.wrong() == {2}


def test_an_empty_structure():
    checksums = Checksums()
    checksums.add(1, b"", jenkins_lookup3(b"", 0).to_bytes(4, "little"))
    checksums.add(2, b"", b"\1\0\0\0")
    assert checksums.wrong() == {2}

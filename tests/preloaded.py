"""Work of the server of `tests.forked` before it forks: import ncz, and use it once."""

from __future__ import annotations

import contextlib
import gc
import io
import threading

import numcodecs

import ncz
import ncz.cli.copy
import ncz.cli.gen
import ncz.cli.progress
import ncz.codec.chain
import ncz.codec.sharding_indexed
import ncz.commands.copy.command
import ncz.transfer.rechunk
import ncz.zmap.local.writable
import ncz.zmap.local.zip
import ncz.zmap.remote.opening
import tests.conftest  # the imports of the tests, mostly pytest and hypothesis
import tests.forked
from ncz.errors import ignore_notice
from tests.servers.processes import share_models

with contextlib.suppress(ImportError):
    import s3fs
    from botocore.session import Session  # type: ignore[import-untyped]

    share_models()
    Session().create_client(
        "s3", "us-east-1", aws_access_key_id="any", aws_secret_access_key="thing"
    ).close()
with contextlib.suppress(ImportError):
    import deflate
    import isal.isal_zlib

__all__ = ["deflate", "isal", "ncz", "numcodecs", "s3fs", "tests"]

_TEXT = b"""netcdf warm { dimensions: x = 2 ;
  variables: int v(x) ; v:_DeflateLevel = 1 ; data: v = 1, 2 ; }"""

ncz.gen(io.BytesIO(_TEXT), "memory://preloaded", notify=ignore_notice)  # imports all of it
gc.collect()
gc.freeze()  # a search for garbage would copy the pages that processes share
# A thread would not be there in a process that is forked.
assert threading.active_count() == 1

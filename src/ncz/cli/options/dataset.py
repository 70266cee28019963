"""The options of commands that describe or compare whole datasets, together."""

from __future__ import annotations

from ncz.cli.options import COMMON_NAMES, Decorated, common_options
from ncz.cli.options.limits import memory_option, threads_option
from ncz.cli.options.source import (
    REFERENCE_NAMES,
    S3_NAMES,
    allow_loss_option,
    reference_options,
    s3_options,
    subset_options,
)

DATASET_SECTIONS = {
    "Limits": ("memory", "threads", "allow_loss"),
    "Remote stores": S3_NAMES,
    "Reference sets": REFERENCE_NAMES,
    "Options": COMMON_NAMES,
}
"""The sections of the help that list the options of `dataset_options`, but for subsets."""


def dataset_options(function: Decorated) -> Decorated:
    """Add the options; the command receives ``s3``, ``subset``, ``memory`` and ``threads``."""
    function = s3_options(reference_options(common_options(function)))
    return memory_option(threads_option(allow_loss_option(subset_options(function))))

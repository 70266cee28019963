"""Libraries that fail while they are imported."""

from __future__ import annotations

from ncz.errors import NczError


def failed_import(error: BaseException) -> NczError | None:
    """Return the error for a library that failed while it was imported; None for another error.

    A package that is installed may be broken, or another that it looks for.
    """
    modules = []
    traceback = error.__traceback__
    while traceback is not None:
        code, names = traceback.tb_frame.f_code, traceback.tb_frame.f_globals
        if code.co_name == "<module>":
            modules.append(str(names.get("__name__", "")))
        traceback = traceback.tb_next
    modules = [name for name in modules if name.partition(".")[0] not in ("ncz", "__main__", "")]
    if not modules:
        return None
    package, last = modules[0].partition(".")[0], modules[-1]
    part = last.rpartition(".")[2]
    also = "" if part == package else f", or repair or remove {part}"
    return NczError(
        f"the package {package} cannot be imported: {last}: {type(error).__name__}: {error}",
        hint=f"reinstall {package}{also}",
    )

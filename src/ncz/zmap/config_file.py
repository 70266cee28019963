"""ncz's own file, $NCZ_CONFIG or ~/.config/ncz/config.toml."""

from __future__ import annotations

import os
from typing import Any

from ncz.errors import ZmapError
from ncz.zmap.setting_files import Environment, home_folder, read_file
from ncz.zmap.setting_places import Setting


def config_path(env: Environment) -> str:
    """Return the path of ncz's own file."""
    folder = env.get("XDG_CONFIG_HOME") or os.path.join(home_folder(env), ".config")
    return env.get("NCZ_CONFIG") or os.path.join(folder, "ncz", "config.toml")


def read_config(path: str) -> dict[str, Any]:
    """Return the contents of ncz's own file. Raises `ZmapError` if it is not TOML."""
    text = read_file(path)
    if text is None:
        return {}
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        is_told = isinstance(error, tomllib.TOMLDecodeError)
        reason = error if is_told else "a number or a list in it is too long or too deep"
        raise ZmapError(f"the file is not valid TOML: {reason}", path, "correct it") from error


def usual_readers(env: Environment) -> Setting:
    """Return the intended readers of stores if no option chooses their form.

    They are names with commas: $NCZ_FOR, or `for` in ncz's own file. Raises `ZmapError`.
    """
    if env.get("NCZ_FOR"):
        return Setting(env["NCZ_FOR"], "NCZ_FOR")
    path = config_path(env)
    document = read_config(path)
    found = document.get("for", "")
    if not isinstance(found, str):
        raise ZmapError("for must be a string", path, 'write for = "xarray"')
    return Setting(found, path)

# Names and versions as packages state them. No importlib.metadata: it costs 15 ms of start-up, and what is
# needed of its format are two header lines.
from __future__ import annotations

import os
import re
from typing import NamedTuple


class Identity(NamedTuple):
    """The name and the version that a distribution gives itself ("" where it gives none)."""

    name: str
    version: str


def canonical(name: str) -> str:
    """The name as indexes compare it (PEP 503): lower case, runs of "-", "_" and "." are one "-"."""
    return re.sub(r"[-_.]+", "-", name).lower()


def read_identity(text: str) -> Identity:
    """Name and Version of a METADATA or PKG-INFO file."""
    found = {"name": "", "version": ""}
    for line in text.splitlines():
        if not line:
            break  # the description follows
        key, colon, value = line.partition(":")
        if colon and key.lower() in found and not found[key.lower()]:
            found[key.lower()] = value.strip()
    return Identity(found["name"], found["version"])


def read_text(path: str, limit: int = 20_000_000) -> str | None:
    """The text of a metadata file, None when there is none that can be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(limit)
    except OSError:
        return None


def identity_in(folder: str) -> Identity | None:
    """The identity of an unpacked wheel (one `*.dist-info`) or source distribution (`PKG-INFO`)."""
    try:
        names = os.listdir(folder)
    except OSError:
        return None
    infos = [name for name in names if name.endswith(".dist-info")]
    if len(infos) == 1:
        text = read_text(os.path.join(folder, infos[0], "METADATA"))
    elif not infos and "PKG-INFO" in names:
        text = read_text(os.path.join(folder, "PKG-INFO"))
    else:
        return None
    return read_identity(text) if text else None

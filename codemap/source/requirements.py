# `pypi:REQUIREMENT`: pip fetches, in a child process, with the user's own configuration (index, proxy,
# certificates, constraints), and only wheels: a source distribution may run its author's code as soon as pip
# asks it for metadata. Where no wheel exists for any platform, fetch_source.py takes the source distribution's
# file through pip's index client, without the part of pip that builds (docs/decisions/trees-pypi.md).
#
# What a requirement turned out to be is kept: an exact pin for ever and silently, any other with a word.
from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from codemap.errors import FetchError
from codemap.source.archives import (
    TemporaryFolder,
    Unpacked,
    digest_of_file,
    open_unpacked,
    prepare,
    unpack,
    write_whole,
)
from codemap.source.metadata import canonical, read_text

_NAME: Final = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"
_CLAUSE: Final = r"(?:~=|===|==|!=|<=|>=|<|>)\s*[A-Za-z0-9][A-Za-z0-9.*+!_-]*"
_REQUIREMENT: Final = (
    rf"({_NAME})\s*(?:\[[A-Za-z0-9._, -]*\])?\s*\(?\s*({_CLAUSE}(?:\s*,\s*{_CLAUSE})*)?\s*\)?"
)
_PIP_SECONDS: Final = 1800
_OFFLINE: Final = ("Retrying (", "NewConnectionError", "ConnectTimeout", "ProxyError", "Could not fetch URL")
# Source is source: a wheel for another platform or Python has the same. One question to pip takes one Python
# version and any number of platforms.
_PYTHONS: Final = ("3.12", "3.11", "3.13", "3.10", "3.14", "3.9")
_PLATFORMS: Final = (
    *(f"manylinux_2_{minor}_{machine}" for machine in ("x86_64", "aarch64") for minor in (*range(17, 46), 12, 5)),
    "manylinux2014_x86_64", "manylinux2014_aarch64", "manylinux2010_x86_64", "manylinux1_x86_64",
    "linux_x86_64", "linux_aarch64", "musllinux_1_2_x86_64", "musllinux_1_1_x86_64",
    "macosx_15_0_arm64", "macosx_14_0_arm64", "macosx_11_0_arm64", "macosx_15_0_x86_64", "macosx_10_16_x86_64",
    "win_amd64", "win_arm64", "win32",
)  # fmt: skip


class Requirement(NamedTuple):
    """A requirement of one distribution: `specifier` without spaces, sorted ("" for any version)."""

    name: str
    specifier: str

    @property
    def text(self) -> str:
        """As pip takes it."""
        return self.name + self.specifier

    @property
    def exact(self) -> bool:
        """Whether it can only ever mean one version."""
        return self.specifier.startswith("==") and "," not in self.specifier and "*" not in self.specifier


def parse_requirement(text: str) -> Requirement:
    """A requirement as PEP 508 writes it, extras dropped. Raises FetchError for URLs, markers and options."""
    found = re.fullmatch(_REQUIREMENT, text.strip())
    if found is None:
        if "@" in text or "://" in text:
            hint = "an address is not fetched: download the archive and name the file"
        elif ";" in text:
            hint = "leave the marker after ';' out"
        else:
            hint = "write it like pypi:sqlparse or pypi:sqlparse==0.5.0"
        raise FetchError(f"{text.strip()!r} is not a requirement that can be fetched", hint)
    clauses = sorted(re.sub(r"\s", "", clause) for clause in (found[2] or "").split(",") if clause)
    return Requirement(canonical(found[1]), ",".join(clauses))


def fetch(text: str, cache: str, say: Callable[[str], None]) -> Unpacked:
    """The unpacked archive of a requirement: from the cache, else through pip. Raises FetchError."""
    known = _remembered(text.strip(), cache, say)  # before it is parsed: a warm question compiles no pattern
    if known is not None:
        return known
    requirement = parse_requirement(text)
    if requirement.text != text.strip():
        known = _remembered(requirement.text, cache, say)
        if known is not None:
            return known
    say(f"fetching {requirement.text} with pip, once")
    with TemporaryFolder(prepare(cache, "downloads")) as folder:
        archive = _download(requirement, folder)
        unpacked = unpack(archive, cache)
        digest = digest_of_file(archive)
    memo = os.path.join(prepare(cache, "requirements"), _file_name(requirement.text))
    write_whole(memo, "\n".join((requirement.text, digest, "exact" if requirement.exact else "")), cache)
    if not requirement.exact:
        say(f"{requirement.text} is {unpacked.name} {unpacked.version}, and stays so until `codemap cache clear`")
    return unpacked


def _remembered(text: str, cache: str, say: Callable[[str], None]) -> Unpacked | None:
    """What the requirement was when it was fetched, None when it was not or is no longer there."""
    memo = read_text(os.path.join(cache, "requirements", _file_name(text)))
    wanted, _, rest = (memo or "").partition("\n")
    digest, _, exact = rest.partition("\n")
    if wanted != text or len(digest) != 64 or not digest.isalnum():
        return None
    known = open_unpacked(digest, cache)
    if known is not None and not exact:
        say(f"{text} is {known.name} {known.version}, as fetched before (`codemap cache clear` asks the index again)")
    return known


def _file_name(text: str) -> str:
    """A file name for a requirement; the file itself says whose it is, should two share a name."""
    return "".join(letter if letter.isalnum() and letter.isascii() else f"_{ord(letter):x}_" for letter in text)[:200]


def _download(requirement: Requirement, folder: str) -> str:
    """The path of the archive that pip brought into `folder`."""
    pip = _pip()
    first = ""
    for options in _attempts(requirement):
        code, said = _run([*pip, "download", *options, "--no-deps", "--only-binary", ":all:", "--dest", folder,
                           *_QUIET, requirement.text])  # fmt: skip
        archive = _only_file(folder)
        if code == 0 and archive:
            return archive
        first = first or said
        if _not_a_matter_of_platform(said):
            raise _failed(requirement, said)
    code, said = _run([sys.executable, "-P", os.path.join(os.path.dirname(__file__), "fetch_source.py"),
                       folder, requirement.name, requirement.specifier])  # fmt: skip
    archive = _only_file(folder)
    if code == 0 and archive:
        return archive
    raise _failed(requirement, first if code in (0, 3) else first + "\n" + said)


_QUIET: Final = ("--quiet", "--no-input", "--disable-pip-version-check", "--progress-bar", "off")


def _attempts(requirement: Requirement) -> Iterator[Sequence[str]]:
    """Options of one `pip download` after the other: this interpreter, then any other platform and Python."""
    yield ("--ignore-requires-python",) if requirement.exact else ()
    platforms = tuple(option for platform in _PLATFORMS for option in ("--platform", platform))
    for version in _PYTHONS:
        yield ("--ignore-requires-python", "--implementation", "cp", "--python-version", version, *platforms)


def _pip() -> tuple[str, ...]:
    """How to start pip: of this interpreter, else the one on PATH."""
    from importlib.util import find_spec
    from shutil import which

    if find_spec("pip") is not None:
        return (sys.executable, "-P", "-m", "pip")  # -P: a pip.py in the current folder is not pip
    found = which("pip3") or which("pip")
    if found is None:
        raise FetchError(
            "there is no pip to fetch with",
            f"install pip into {sys.prefix}, or download the archive and name the file",
        )
    return (found,)


def _run(command: Sequence[str]) -> tuple[int, str]:
    """Exit status and what was said on stderr."""
    import subprocess

    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PIP_SECONDS, check=False,
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise FetchError(
            f"pip took longer than {_PIP_SECONDS // 60} minutes", "fetch the archive by hand"
        ) from None
    except OSError as error:
        raise FetchError(f"pip cannot be run: {error.strerror}") from error
    return done.returncode, done.stderr.decode("utf-8", "replace")


def _only_file(folder: str) -> str:
    names = [name for name in sorted(os.listdir(folder)) if not name.startswith(".")]
    return os.path.join(folder, names[0]) if names else ""


def _not_a_matter_of_platform(said: str) -> bool:
    """Whether another platform could not change what pip said."""
    return "No matching distribution found" not in said or any(word in said for word in _OFFLINE)


def _failed(requirement: Requirement, said: str) -> FetchError:
    """One line of what pip said, and a way out."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR:").strip() for line in lines if line.startswith("ERROR:")]
    last = (errors or lines or ["pip said nothing"])[-1][:300]
    hint = ""
    if any(word in said for word in _OFFLINE):
        last = f"the package index cannot be reached ({last})"
        hint = "what was fetched once works offline; else name a folder or an archive"
    else:
        found = re.search(r"\(from versions: ([^)]*)\)", said)
        versions = [
            version for version in (found[1] if found else "").split(", ") if version not in ("", "none")
        ]
        if versions:
            from codemap.nearest import nearest

            wanted = requirement.specifier.lstrip("=<>~!")
            shown = nearest(wanted, versions) or tuple(versions[-5:])
            hint = "versions there are: " + ", ".join(shown)
    return FetchError(f"pip cannot fetch {requirement.text}: {last}", hint)

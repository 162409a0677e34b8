# Run as a script, in a child process, by requirements.py: brings the FILE of a source distribution.
#
# `pip download` would run the distribution's build backend to learn its metadata. This uses the half of pip that
# reads the user's configuration, asks the indexes and downloads, and never reaches the half that builds. These
# are pip's internals: should they change, it ends with an error and nothing has been run (exit status 4).
from __future__ import annotations

import hashlib
import importlib
import os
import sys
from typing import Any

NOTHING, CHANGED = 3, 4


def bring(folder: str, name: str, specifier: str) -> int:
    """Download the best source distribution that fits into `folder`; 0, or the exit status."""
    commands: Any = importlib.import_module("pip._internal.commands")
    session_of: Any = importlib.import_module("pip._internal.cli.req_command")
    specifiers: Any = importlib.import_module("pip._vendor.packaging.specifiers")
    command = commands.create_command("download")
    if not isinstance(command, session_of.RequirementCommand):
        return CHANGED
    options, _ = command.parse_args(
        [
            "--no-deps",
            "--no-binary",
            ":all:",
            "--no-input",
            "--disable-pip-version-check",
            "--dest",
            folder,
            name,
        ]
    )
    with command.main_context():
        session = command.get_default_session(options)
        finder = command._build_package_finder(options=options, session=session, ignore_requires_python=True)
        best = finder.find_best_candidate(name, specifiers.SpecifierSet(specifier)).best_candidate
        if best is None:
            return NOTHING
        link = best.link
        response = session.get(
            link.url_without_fragment, headers={"Accept-Encoding": "identity"}, stream=True
        )
        response.raise_for_status()
        digest = hashlib.new(link.hash_name) if link.hash_name in hashlib.algorithms_guaranteed else None
        target = os.path.join(folder, os.path.basename(link.filename))
        with open(target + ".part", "wb") as file:
            while chunk := response.raw.read(1 << 20):
                file.write(chunk)
                if digest is not None:
                    digest.update(chunk)
        if digest is not None and digest.hexdigest() != link.hash:
            os.remove(target + ".part")
            return complain(f"{link.filename} has another {link.hash_name} than its index says")
        os.rename(target + ".part", target)
    return 0


def complain(message: str) -> int:
    """Say what went wrong as pip does."""
    sys.stderr.write(f"ERROR: {message}\n")
    return CHANGED


if __name__ == "__main__":
    try:
        status = bring(*sys.argv[1:4])
    except (ImportError, AttributeError, TypeError) as error:
        status = complain(f"there is only a source distribution, and this pip is not known ({error})")
    except Exception as error:
        status = complain(str(error))
    sys.exit(status)

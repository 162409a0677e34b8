"""Trees as people name them, with real packages, real pip and a real environment. Needs a package index."""
from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

import pytest

from codemap.errors import FetchError, NoSuchTree
from codemap.source.trees import open_tree


def fetched(spec: str, cache: Path) -> tuple[str, str | None, list[str]]:
    try:
        tree = open_tree(spec, cache=cache)
    except FetchError as error:
        if "cannot be reached" in error.message:
            pytest.skip("no package index can be reached")
        raise
    return tree.name, tree.version, [entry.path for entry in tree.listing().files]


def test_a_pure_wheel_of_the_index(tmp_path: Path) -> None:
    """A pinned requirement is the tree of its wheel, and another process asks nobody again."""
    name, version, files = fetched("pypi:sqlparse==0.5.0", tmp_path / "cache")
    assert (name, version) == ("sqlparse", "0.5.0")
    assert "sqlparse/engine/grouping.py" in files
    offline = (
        "import subprocess, sys; subprocess.run = subprocess.Popen = None\nfrom pathlib import Path\n"
        "from codemap.source.trees import open_tree\n"
        "print(len(open_tree('pypi:sqlparse==0.5.0', cache=Path(sys.argv[1])).listing().files))"
    )
    done = subprocess.run(
        [sys.executable, "-c", offline, str(tmp_path / "cache")],
        capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert int(done.stdout) == len(files)


def test_a_project_that_has_only_a_source_distribution(tmp_path: Path) -> None:
    """docopt 0.6.2 has no wheel: its source distribution is unpacked; nothing is built, so no egg-info appears."""
    name, version, files = fetched("pypi:docopt==0.6.2", tmp_path / "cache")
    assert (name, version) == ("docopt", "0.6.2")
    assert {"docopt.py", "setup.py"} <= set(files)


def test_a_version_the_index_does_not_have(tmp_path: Path) -> None:
    """The error is one line, and names versions that are there."""
    fetched("pypi:sqlparse==0.5.0", tmp_path / "cache")  # skips without an index
    with pytest.raises(FetchError) as caught:
        open_tree("pypi:sqlparse==0.5.99", cache=tmp_path / "cache")
    assert "\n" not in caught.value.message
    assert "0.5" in caught.value.hint


def test_editable_installation_by_pip_in_another_environment(tmp_path: Path) -> None:
    """`--python` finds what pip installed editable elsewhere: the project, its root and its version."""
    project = tmp_path / "project"
    (project / "src" / "editdemo").mkdir(parents=True)
    (project / "src" / "editdemo" / "__init__.py").write_text("raise SystemExit('never imported')\n")
    (project / "tests").mkdir()
    (project / "tests" / "test_it.py").write_text("")
    (project / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["setuptools>=64"]\nbuild-backend = "setuptools.build_meta"\n'
        '[project]\nname = "editdemo"\nversion = "4.2"\n'
    )
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=True)
    python = environment / "bin" / "python"
    if not python.exists():
        python = environment / "Scripts" / "python.exe"
    done = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "-e", str(project)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        pytest.skip(f"pip cannot build here: {done.stderr.strip().splitlines()[-1]}")
    for where in (str(python), str(environment)):
        tree = open_tree("EditDemo", python=where, cache=tmp_path / "cache")
        assert (tree.name, tree.version) == ("editdemo", "4.2")
        assert tree.root == project.resolve()
        assert tree.modules.files_of("editdemo") == ("src/editdemo/__init__.py",)
        assert [entry.path for entry in tree.listing().files] == ["src/editdemo/__init__.py"]
    pip = open_tree("pip", python=str(python), cache=tmp_path / "cache")
    assert pip.modules.is_package("pip._internal")
    with pytest.raises(NoSuchTree) as caught:
        open_tree("editdemos", python=str(python), cache=tmp_path / "cache")
    assert "editdemo" in caught.value.nearest

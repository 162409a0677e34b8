"""Settings: defaults < [tool.codemap] < environment < flags."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from codemap.config import KEYS, Settings, default_cache, settle
from codemap.errors import ConfigurationError, UsageError


def write(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "pyproject.toml"
    path.write_text(text, "utf-8")
    return path


def settled(folder: Path, environment: dict[str, str] | None = None, **flags: object) -> Settings:
    return settle(flags, folder=str(folder), environment={"CODEMAP_CACHE_DIR": "/c", **(environment or {})})


def test_without_anything_the_defaults_hold(tmp_path: Path) -> None:
    """No file, no variable, no flag: the current folder, text, everything possible."""
    assert settled(tmp_path) == Settings(cache=Path("/c"))


def test_file_then_environment_then_flags(tmp_path: Path) -> None:
    """A variable outranks the file, a flag outranks both."""
    write(tmp_path, '[tool.codemap]\ntree = "pypi:a==1"\nformat = "json"\njobs = 3\nlimit = 7\n')
    found = settled(tmp_path, {"CODEMAP_TREE": "b", "CODEMAP_JOBS": "2"}, jobs=1, tree=None, roots=())
    assert (found.tree, found.format, found.jobs, found.limit) == ("b", "json", 1, 7)


def test_the_nearest_file_that_speaks_of_codemap_counts(tmp_path: Path) -> None:
    """Walking up, a pyproject.toml without [tool.codemap] is passed over, the first with it ends the walk."""
    write(tmp_path, "[tool.codemap]\njobs = 1\n")
    write(tmp_path / "a", "[tool.codemap]\njobs = 2\n")
    write(tmp_path / "a" / "b", '[project]\nname = "codemap-user"\n')
    assert settled(tmp_path / "a" / "b").jobs == 2


def test_an_empty_table_ends_the_walk(tmp_path: Path) -> None:
    """[tool.codemap] without a key is a choice of the defaults."""
    write(tmp_path, "[tool.codemap]\njobs = 1\n")
    write(tmp_path / "a", "[tool.codemap]\n")
    assert settled(tmp_path / "a").jobs is None


@pytest.mark.parametrize(
    "spelling", ["[tool.codemap]\njobs = 4", "tool.codemap.jobs = 4", "[tool]\ncodemap = {jobs = 4}"]
)
def test_every_toml_spelling_of_the_table_counts(tmp_path: Path, spelling: str) -> None:
    """A table, dotted keys and an inline table are the same in TOML."""
    write(tmp_path, spelling)
    assert settled(tmp_path).jobs == 4


def test_a_relative_tree_is_relative_to_its_file(tmp_path: Path) -> None:
    """What the file says does not depend on the folder where one happens to be."""
    (tmp_path / "lib").mkdir()
    write(tmp_path, '[tool.codemap]\ntree = "lib"\ncache-dir = "cache"\npython = "./venv"\n')
    found = settle({}, folder=str(tmp_path / "lib"), environment={})
    assert found.tree == str(tmp_path / "lib")
    assert found.cache == tmp_path / "cache"
    assert found.python == str(tmp_path / "venv")


@pytest.mark.parametrize("tree", ["sglang", "pypi:sglang==0.5.9", "ssh://me@host/src", "~/src"])
def test_a_tree_that_is_no_relative_path_stays_as_it_is(tmp_path: Path, tree: str) -> None:
    """Distributions, requirements and addresses have nothing to do with the folder of the file."""
    write(tmp_path, f'[tool.codemap]\ntree = "{tree}"\n')
    assert settled(tmp_path).tree == tree


def test_an_unknown_key_is_an_error_with_its_file_and_the_likely_key(tmp_path: Path) -> None:
    """A misspelt setting must not be a setting without effect."""
    path = write(tmp_path, "[tool.codemap]\nexlude = []\n")
    with pytest.raises(ConfigurationError, match="exlude") as caught:
        settled(tmp_path)
    assert str(path) in caught.value.message
    assert caught.value.hint == "did you mean exclude?"


@pytest.mark.parametrize(
    "line",
    ['jobs = "two"', "jobs = 0", "jobs = true", "roots = 1", 'roots = ["a", 2]', 'format = "yaml"', "tree = []", 'tree = ""',
     'min-confidence = "sure"', "limit = -1", "color = 1", "cache-dir = 1", 'exclude = "x"', "python = {}"],
)  # fmt: skip
def test_a_wrong_value_is_an_error_that_names_its_key(tmp_path: Path, line: str) -> None:
    """Every key says what it takes."""
    write(tmp_path, f"[tool.codemap]\n{line}\n")
    with pytest.raises(ConfigurationError) as caught:
        settled(tmp_path)
    assert line.split(" ")[0] in caught.value.message


def test_a_wrong_variable_is_an_error_that_names_it(tmp_path: Path) -> None:
    """The environment is checked as the file is."""
    with pytest.raises(ConfigurationError, match="CODEMAP_FORMAT=yaml"):
        settled(tmp_path, {"CODEMAP_FORMAT": "yaml"})


def test_an_empty_variable_is_not_set(tmp_path: Path) -> None:
    """`CODEMAP_TREE= codemap ...` takes a variable away."""
    assert settled(tmp_path, {"CODEMAP_TREE": "", "CODEMAP_JOBS": ""}).tree is None


def test_a_variable_holds_a_list_as_path_does(tmp_path: Path) -> None:
    """Several roots in one variable are separated by the system's path separator."""
    assert settled(tmp_path, {"CODEMAP_ROOTS": os.pathsep.join(["a", "b"])}).roots == ("a", "b")


def test_a_broken_file_is_an_error_only_where_it_speaks_of_codemap(tmp_path: Path) -> None:
    """Somebody else's broken pyproject.toml does not keep anyone from asking."""
    write(tmp_path, "[tool.other\n")
    assert settled(tmp_path).jobs is None
    write(tmp_path, "[tool.codemap\n")
    with pytest.raises(ConfigurationError, match="not TOML"):
        settled(tmp_path)


def test_a_file_that_is_not_utf8_is_an_error(tmp_path: Path) -> None:
    """TOML is UTF-8."""
    (tmp_path / "pyproject.toml").write_bytes(b'[tool.codemap]\ntree = "\xff"\n')
    with pytest.raises(ConfigurationError, match="UTF-8"):
        settled(tmp_path)


def test_the_default_cache_is_where_platformdirs_puts_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The quick way to the folder gives the same as the library, for any XDG_CACHE_HOME."""
    from platformdirs import user_cache_dir

    for value in ("", "/somewhere/else", "relative"):
        monkeypatch.setenv("XDG_CACHE_HOME", value)
        if value != "relative":  # the specification says to ignore it; older platformdirs use it
            assert default_cache(os.environ) == user_cache_dir("codemap", appauthor=False)
    assert default_cache({"XDG_CACHE_HOME": "relative"}) == os.path.expanduser("~/.cache/codemap")


def test_every_key_is_a_field_of_settings() -> None:
    """The list of keys and the record cannot drift apart."""
    fields = set(Settings._fields) - {"quiet", "verbose", "cache"} | {"cache_dir"}
    assert {key.replace("-", "_") for key in KEYS} == fields


def test_toml_is_not_parsed_for_files_that_do_not_speak_of_codemap(tmp_path: Path) -> None:
    """A question in somebody's project does not pay for reading its pyproject.toml."""
    write(tmp_path, '[project]\nname = "x"\n')
    code = "import sys; from codemap.config import settle; settle({}); print('tomllib' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


def test_an_empty_flag_is_shown_as_such(tmp_path: Path) -> None:
    """`--tree ''` is an error whose line shows the quotes, not a hole."""
    with pytest.raises(UsageError, match=r"--tree '' cannot be used"):
        settle({"tree": ""}, folder=str(tmp_path), environment={})

"""Folders, installed distributions and requirements as trees."""
from __future__ import annotations

import os
import pickle
import socket
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from codemap.errors import CodemapError, EmptyTree, FetchError, NoSuchTree, TreeError
from codemap.source.requirements import parse_requirement
from codemap.source.trees import Tree, open_tree

INFO = "Metadata-Version: 2.1\nName: {}\nVersion: {}\n"


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def opened(folder: Path | str, **options: object) -> Tree:
    return open_tree(str(folder), cache=Path(os.devnull) / "unused", **options)  # type: ignore[arg-type]


def paths(tree: Tree) -> list[str]:
    return [entry.path for entry in tree.listing().files]


def skipped(tree: Tree) -> dict[str, str]:
    return {entry.file: entry.reason for entry in tree.listing().skipped}


# --- folders ----------------------------------------------------------------------------------------------------
def test_folder_is_listed_in_order_with_stubs_and_extensions(tmp_path: Path) -> None:
    """Python files and stubs, sorted by path, with their sizes; compiled modules apart; nothing else."""
    write(tmp_path, {"b.py": "xy", "a/z.pyi": "", "a/__init__.py": "", "c.so": b"", "a.py": "", "notes.txt": "", "d.pyc": b""})
    listing = opened(tmp_path).listing()
    assert [(entry.path, entry.size) for entry in listing.files] == [
        ("a.py", 0), ("a/__init__.py", 0), ("a/z.pyi", 0), ("b.py", 2),
    ]  # fmt: skip
    assert listing.extensions == ("c.so",)
    assert listing.skipped == ()


def test_stamp_changes_with_the_bytes(tmp_path: Path) -> None:
    """Same size and same modification time do not hide a change."""
    path = write(tmp_path, {"a.py": "X = 1"}) / "a.py"
    tree = opened(tmp_path)
    before = tree.listing().files[0].stamp
    assert tree.listing().files[0].stamp == before
    times = (path.stat().st_atime_ns, path.stat().st_mtime_ns)
    path.write_text("X = 2")
    os.utime(path, ns=times)
    assert tree.listing().files[0].stamp != before


def test_current_folder_is_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No TREE means the folder one stands in."""
    write(tmp_path, {"a.py": ""})
    monkeypatch.chdir(tmp_path)
    tree = open_tree(None, cache=tmp_path / "cache")
    assert (tree.root, tree.name, tree.version) == (tmp_path.resolve(), tmp_path.name, None)


def test_caches_environments_and_version_control_are_left_out(tmp_path: Path) -> None:
    """What tools put beside source is no part of it; a `build` package is."""
    write(tmp_path, {
        "pkg/a.py": "", ".git/hooks/x.py": "", "pkg/__pycache__/a.py": "", "env/pyvenv.cfg": "", "env/lib/m.py": "",
        "node_modules/x/y.py": "", ".tox/t.py": "", "pyproject.toml": "", "build/lib/pkg/a.py": "", "dist/a.py": "",
        "pkg/build/__init__.py": "", "pkg/dist/x.py": "", ".github/tool.py": "",
    })  # fmt: skip
    assert paths(opened(tmp_path)) == [".github/tool.py", "pkg/a.py", "pkg/build/__init__.py", "pkg/dist/x.py"]


@pytest.mark.parametrize(
    ("globs", "left"),
    [
        (["tests"], ["a.py", "pkg/b.py", "pkg/gen/c_pb2.py"]),
        (["*_pb2.py"], ["a.py", "pkg/b.py", "pkg/tests/t.py", "tests/t.py"]),
        (["pkg/gen/"], ["a.py", "pkg/b.py", "pkg/tests/t.py", "tests/t.py"]),
        (["pkg/**"], ["a.py", "tests/t.py"]),
        (["pkg/*.py"], ["a.py", "tests/t.py"]),
        (["**/tests/**", "./a.py"], ["pkg/b.py", "pkg/gen/c_pb2.py"]),
        (["/tests"], ["a.py", "pkg/b.py", "pkg/gen/c_pb2.py", "pkg/tests/t.py"]),
    ],
)
def test_exclude(tmp_path: Path, globs: list[str], left: list[str]) -> None:
    """A glob without "/" fits names anywhere, one with "/" fits paths from the root, `*` crosses "/"."""
    write(tmp_path, dict.fromkeys(["a.py", "pkg/b.py", "pkg/gen/c_pb2.py", "pkg/tests/t.py", "tests/t.py"], ""))
    assert paths(opened(tmp_path, exclude=globs)) == left


def test_links_stay_in_the_tree_and_never_loop(tmp_path: Path) -> None:
    """A link to a file of the tree is a module; links to folders, to outside and to nothing are named as skipped."""
    root = write(tmp_path / "tree", {"pkg/a.py": "A = 1", "pkg/sub/b.py": ""})
    write(tmp_path, {"outside/secret.py": "S = 1"})
    (root / "pkg/alias.py").symlink_to("a.py")
    (root / "pkg/loop").symlink_to("..")
    (root / "pkg/self.py").symlink_to("self.py")
    (root / "out.py").symlink_to("../outside/secret.py")
    (root / "outdir").symlink_to("../outside")
    (root / "gone.py").symlink_to("nothing.py")
    tree = opened(root)
    assert paths(tree) == ["pkg/a.py", "pkg/alias.py", "pkg/sub/b.py"]
    found = skipped(tree)
    assert found.pop("pkg/self.py")  # the system's words
    assert found == {
        "gone.py": "a link to nothing",
        "out.py": "points outside the tree",
        "outdir": "points outside the tree",
        "pkg/loop": "a link to a folder of the tree",
    }
    assert tree.read("pkg/alias.py") == b"A = 1"


@pytest.mark.parametrize("path", ["../outside.py", "/etc/passwd", "a/../../outside.py", "..\\outside.py", "out.py"])
def test_read_never_leaves_the_tree(tmp_path: Path, path: str) -> None:
    """No path, and no link that came after the listing, brings bytes from outside."""
    root = write(tmp_path / "tree", {"a/b.py": ""})
    write(tmp_path, {"outside.py": "SECRET"})
    (root / "out.py").symlink_to("../outside.py")
    with pytest.raises(TreeError):
        opened(root).read(path)


def test_what_is_no_regular_file_is_skipped(tmp_path: Path) -> None:
    """A FIFO, a socket and a device are named and never opened; a folder called x.py is a folder."""
    write(tmp_path, {"a.py": "", "x.py/inner.py": ""})
    os.mkfifo(tmp_path / "pipe.py")
    with socket.socket(socket.AF_UNIX) as server:
        place = os.getcwd()
        os.chdir(tmp_path)  # a socket's path is short
        try:
            server.bind("sock.py")
        finally:
            os.chdir(place)
        tree = opened(tmp_path)
        assert paths(tree) == ["a.py", "x.py/inner.py"]
        assert skipped(tree) == {"pipe.py": "not a regular file", "sock.py": "not a regular file"}


def test_huge_file_is_skipped_with_its_size(tmp_path: Path) -> None:
    """Over 20 MB no file is read."""
    write(tmp_path, {"a.py": ""})
    with open(tmp_path / "huge.py", "wb") as file:
        file.truncate(20_000_001)
    assert skipped(opened(tmp_path)) == {"huge.py": "larger than 20 MB (20000001 bytes)"}


def test_names_that_cannot_be_said_are_skipped(tmp_path: Path) -> None:
    """Names of no UTF-8 or with control characters are shown with escapes; other letters are fine."""
    write(tmp_path, {"größe.py": "", "a\nb.py": "", "c\x1b[2J/d.py": ""})
    with open(os.fsencode(tmp_path) + b"/caf\xe9.py", "wb"):
        pass
    tree = opened(tmp_path)
    assert paths(tree) == ["größe.py"]
    assert skipped(tree) == {
        "a\\nb.py": "a control character in its name",
        "c\\x1b[2J": "a control character in its name",
        "caf\\udce9.py": "its name is no UTF-8",
    }


@contextmanager
def ordinary_user() -> Iterator[None]:
    """Root may read everything: be nobody for a while."""
    if os.getuid() != 0:
        yield
        return
    os.setresuid(65534, 65534, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


def test_unreadable_files_and_folders_are_skipped() -> None:
    """What this user may not read is named with the system's reason, and the rest is answered."""
    with TemporaryDirectory() as folder:
        root = write(Path(folder), {"a.py": "", "no.py": "", "closed/b.py": ""})
        root.chmod(0o755)
        (root / "no.py").chmod(0)
        (root / "closed").chmod(0)
        tree = opened(root)
        with ordinary_user():
            listing = tree.listing()
        (root / "closed").chmod(0o755)
    assert [entry.path for entry in listing.files] == ["a.py"]
    assert listing.skipped == (("closed", "permission denied"), ("no.py", "permission denied"))


def test_file_that_vanishes_is_an_error_of_its_own(tmp_path: Path) -> None:
    """A file that went away since the listing is FileNotFoundError, not an error about the tree."""
    write(tmp_path, {"a.py": "", "b.py": ""})
    tree = opened(tmp_path)
    tree.listing()
    (tmp_path / "b.py").unlink()
    with pytest.raises(FileNotFoundError):
        tree.read("b.py")
    assert paths(tree) == ["a.py"]
    assert tree.modules.files_of("b") == ()


# --- import roots -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("files", "roots"),
    [
        (["pkg/__init__.py", "loose.py", "space/deep/m.py"], ("",)),
        (["src/pkg/__init__.py", "tests/t.py"], ("src", "")),
        (["src/__init__.py", "src/a.py"], ("",)),
        (["python/pyproject.toml", "python/pkg/__init__.py", "docs/conf.py"], ("python", "")),
        (["a/setup.py", "a/src/one/__init__.py", "b/setup.cfg", "b/two/__init__.py"], ("a/src", "b", "")),
        (["kernel/pyproject.toml", "kernel/python/k/__init__.py"], ("kernel/python", "")),
        (["pyproject.toml", "lib/big/__init__.py", "tests/t.py"], ("",)),
        (["pkg/__init__.py", "pkg/csrc/setup.py", "pkg/csrc/ext/__init__.py"], ("",)),
        (["pkg/__init__.py", "pkg/src/x.py"], ("",)),
        (["models/ops/setup.py", "models/ops/run.py"], ("",)),
        (["one-1.dist-info/METADATA", "two-1.dist-info/METADATA", "src/oops.py", "one/x.py"], ("",)),
        (["pyvenv.cfg", "lib/python3.11/site-packages/m.py"], ("lib/python3.11/site-packages", "")),
    ],
)
def test_import_roots_of_a_folder(tmp_path: Path, files: list[str], roots: tuple[str, ...]) -> None:
    """Roots need evidence: `src`, a nested project with a package in it, a folder its project file names."""
    write(tmp_path, dict.fromkeys(files, ""))
    if "kernel/pyproject.toml" in files:
        write(tmp_path, {"kernel/pyproject.toml": 'wheel.packages = ["python/k"]\n'})
    assert opened(tmp_path).roots == roots


def test_declared_lib_folder_is_a_root(tmp_path: Path) -> None:
    """`lib` is an import root where the project says so."""
    write(tmp_path, {"pyproject.toml": '[tool.setuptools.packages.find]\nwhere = ["lib"]\n', "lib/big/__init__.py": ""})
    assert opened(tmp_path).roots == ("lib", "")


def test_folder_inside_a_package(tmp_path: Path) -> None:
    """Looking at a part of a package keeps the whole dotted names, with paths from the part."""
    write(tmp_path, {"top/__init__.py": "", "top/mid/__init__.py": "", "top/mid/low/x.py": "", "top/src/y.py": ""})
    tree = opened(tmp_path / "top/mid")
    assert paths(tree) == ["__init__.py", "low/x.py"]
    assert tree.modules.module_of("low/x.py") == "top.mid.low.x"
    assert tree.modules.module_of("__init__.py") == "top.mid"
    assert tree.modules.resolve_relative("low/x.py", 3, "y") == "top.y"


def test_given_roots_inside_and_outside(tmp_path: Path) -> None:
    """Roots may lie in the tree or beside it; then the tree is both, under their common parent, and no more."""
    write(tmp_path, {"main/ns/a.py": "", "main/run.py": "", "plug/ns/b.py": "", "other/c.py": "", "main/inner/d.py": ""})
    tree = opened(tmp_path / "main", roots=["inner", str(tmp_path / "plug")])
    assert tree.root == tmp_path.resolve()
    assert tree.roots == ("main/inner", "plug", "main")
    assert paths(tree) == ["main/inner/d.py", "main/ns/a.py", "main/run.py", "plug/ns/b.py"]
    assert tree.modules.submodules("ns") == ("ns.a", "ns.b")
    assert tree.modules.module_of("main/inner/d.py") == "d"
    assert tree.modules.module_of("main/run.py") == "run"


def test_given_root_is_looked_at_even_where_its_kind_is_left_out(tmp_path: Path) -> None:
    """An environment's site-packages named as a root is part of the tree, once."""
    write(tmp_path, {"app.py": "", ".venv/pyvenv.cfg": "", ".venv/lib/site-packages/dep.py": "", ".venv/bin/x.py": ""})
    tree = opened(tmp_path, roots=[".", ".venv/lib/site-packages"])
    assert paths(tree) == [".venv/lib/site-packages/dep.py", "app.py"]
    assert tree.modules.files_of("dep") == (".venv/lib/site-packages/dep.py",)


def test_key_tells_trees_apart(tmp_path: Path) -> None:
    """The same folder with other roots or filters is another tree to a cache, however it was written."""
    write(tmp_path, {"src/a.py": "", "b.py": ""})
    keys = [
        opened(tmp_path).key,
        opened(f"{tmp_path}/src/..").key,
        opened(tmp_path, roots=["src"]).key,
        opened(tmp_path, exclude=["b.py"]).key,
        opened(tmp_path / "src").key,
    ]
    assert keys[0] == keys[1]
    assert len(set(keys)) == 4


def test_unpacked_wheel_has_the_name_of_its_metadata(tmp_path: Path) -> None:
    """A folder with one dist-info, or a PKG-INFO, is called what that says."""
    write(tmp_path / "w", {"demo/__init__.py": "", "demo-1.5.dist-info/METADATA": INFO.format("Demo", "1.5")})
    write(tmp_path / "s", {"demo/__init__.py": "", "PKG-INFO": INFO.format("Demo", "1.6")})
    assert [(opened(tmp_path / name).name, opened(tmp_path / name).version) for name in "ws"] == [
        ("Demo", "1.5"), ("Demo", "1.6"),
    ]  # fmt: skip


# --- errors -----------------------------------------------------------------------------------------------------
def test_missing_folder_names_its_siblings(tmp_path: Path) -> None:
    """The nearest folders and archives beside the missing one are offered."""
    write(tmp_path, {"sglang/a.py": "", "sglang.whl": b"", "other/b.py": "", "sglong.txt": ""})
    with pytest.raises(NoSuchTree) as caught:
        opened(tmp_path / "sglan")
    assert caught.value.nearest == (f"{tmp_path}/sglang", f"{tmp_path}/sglang.whl")
    assert "did you mean" in caught.value.hint
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.message, again.hint, again.nearest) == (caught.value.message, caught.value.hint, caught.value.nearest)


@pytest.mark.parametrize("spec", ["./nowhere", "/nowhere/at/all", "nothing.whl", "~/no-such-folder-here", "a\0b"])
def test_paths_that_are_not_there(spec: str) -> None:
    """What looks like a path is never looked up as a distribution."""
    with pytest.raises(NoSuchTree):
        opened(spec)


def test_missing_root_is_named(tmp_path: Path) -> None:
    """A `--root` that is not there is an error with its nearest folders."""
    write(tmp_path, {"source/a.py": ""})
    with pytest.raises(NoSuchTree, match="import root surce") as caught:
        opened(tmp_path, roots=["surce"])
    assert caught.value.nearest == ("source",)


def test_empty_tree_says_what_is_there(tmp_path: Path) -> None:
    """No Python file is an error when listed, and says what was left out."""
    write(tmp_path, {"README.md": "", "x.so": b""})
    with pytest.raises(EmptyTree, match=r"only compiled modules, such as x\.so"):
        opened(tmp_path).listing()
    (tmp_path / "gone.py").symlink_to("nothing")
    with pytest.raises(EmptyTree, match=r"gone\.py: a link to nothing"):
        opened(tmp_path).listing()


def test_a_tree_that_is_excluded_wholly_says_so(tmp_path: Path) -> None:
    """Where filters leave nothing, the filters are named, not the forms of trees."""
    write(tmp_path, {"a.py": ""})
    with pytest.raises(EmptyTree, match="but for what --exclude leaves out"):
        opened(tmp_path, exclude=["*.py"]).listing()


def test_ssh_is_refused_clearly() -> None:
    """A tree on another machine is not supported yet, and says so."""
    with pytest.raises(TreeError, match="not supported yet"):
        opened("ssh://user@host/path")


# --- installed distributions ------------------------------------------------------------------------------------
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: Mapping[str, str | bytes]) -> Path:
    folder = write(tmp_path / "site-packages", files)
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    return folder


def test_installed_distribution_is_its_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the files a distribution lists belong to it; names compare as PEP 503 says; scripts stay outside."""
    folder = site(tmp_path, monkeypatch, {
        "My_Dist.Name-2.1.dist-info/METADATA": INFO.format("My_Dist.Name", "2.1"),
        "My_Dist.Name-2.1.dist-info/RECORD":
            'mine/__init__.py,sha256=x,1\nmine/c.so,,\n"mine/a,b.py",,\nshared/mine.py,,\nsix_like.py,,\n'
            "../../bin/tool.py,,\n/abs.py,,\nmine/gone.py,,\nmine/__pycache__/a.pyc,,\nMy_Dist.Name-2.1.dist-info/METADATA,,\n",
        "mine/__init__.py": "", "mine/c.so": b"", "mine/a,b.py": "", "mine/added.py": "", "shared/mine.py": "",
        "shared/theirs.py": "", "six_like.py": "", "other/__init__.py": "",
    })  # fmt: skip
    tree = opened("my-dist-name")
    assert (tree.name, tree.version, tree.root) == ("My_Dist.Name", "2.1", folder.resolve())
    assert paths(tree) == ["mine/__init__.py", "mine/a,b.py", "shared/mine.py", "six_like.py"]
    assert skipped(tree) == {"mine/gone.py": "its distribution lists it, and it is not there"}
    assert tree.listing().extensions == ("mine/c.so",)
    assert tree.modules.is_namespace("shared")
    assert not tree.modules.exists("other")


def test_distribution_without_a_list_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a system's package manager installed is found by its top_level.txt, an .egg-info file by its name."""
    site(tmp_path, monkeypatch, {
        "Deb-1.0.egg-info/PKG-INFO": INFO.format("Deb", "1.0"), "Deb-1.0.egg-info/top_level.txt": "debpkg\n_deb\n",
        "debpkg/__init__.py": "", "_deb.py": "", "else.py": "",
        "plain-0.3-py3.11.egg-info": INFO.format("plain", "0.3"), "plain.py": "",
    })  # fmt: skip
    assert paths(opened("deb")) == ["_deb.py", "debpkg/__init__.py"]
    tree = opened("plain")
    assert (tree.version, paths(tree)) == ("0.3", ["plain.py"])


def test_missing_distribution_names_the_nearest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A distribution that is not installed brings the nearest installed names."""
    site(tmp_path, monkeypatch, {"zzfrobnicate-1.0.dist-info/METADATA": INFO.format("zzfrobnicate", "1.0")})
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NoSuchTree) as caught:
        opened("zzfrobnikate")
    assert caught.value.nearest == ("zzfrobnicate",)
    assert "\n" not in str(caught.value)


def test_folder_of_the_name_comes_before_the_distribution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies here under that name is meant."""
    write(tmp_path, {"pytest/here.py": ""})
    monkeypatch.chdir(tmp_path)
    assert paths(opened("pytest")) == ["here.py"]


def editable(project: Path, **files: str | bytes) -> dict[str, str | bytes]:
    record = "".join(f"{name},,\n" for name in files) + "edit-1.0.dist-info/METADATA,,\n"
    return {
        "edit-1.0.dist-info/METADATA": INFO.format("edit", "1.0"),
        "edit-1.0.dist-info/direct_url.json": f'{{"url": "{project.as_uri()}", "dir_info": {{"editable": true}}}}',
        "edit-1.0.dist-info/RECORD": record,
        **files,
    }


def test_editable_through_a_pth_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path in the installation's .pth file is an import root in the project."""
    project = write(tmp_path / "project dir", {"src/edit/__init__.py": "", "tests/t.py": "", "pyproject.toml": ""})
    site(tmp_path, monkeypatch, editable(project, **{"_edit.pth": f"# by a tool\n{project}/src\n"}))
    tree = opened("edit")
    assert (tree.name, tree.version, tree.root, tree.roots) == ("edit", "1.0", project.resolve(), ("src",))
    assert paths(tree) == ["src/edit/__init__.py"]
    assert tree.modules.files_of("edit") == ("src/edit/__init__.py",)


def test_editable_through_a_finder_that_is_never_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mapping of setuptools' finder is read as text: packages under other folder names, modules, namespaces."""
    project = write(
        tmp_path / "project",
        {"lib/__init__.py": "", "lib/core.py": "", "single.py": "", "spaces/ns/part/x.py": "", "setup.py": "", "docs/d.py": ""},
    )
    finder = (
        "raise SystemExit('never run')\n"
        f"MAPPING: dict[str, str] = {{'edit': '{project}/lib', 'single': '{project}/single'}}\n"
        f"NAMESPACES: dict[str, list[str]] = {{'ns': ['{project}/spaces/ns']}}\n"
    )
    hook = "import __editable___edit_1_0_finder; __editable___edit_1_0_finder.install()\n"
    site(tmp_path, monkeypatch, editable(
        project, **{"__editable__.edit-1.0.pth": hook, "__editable___edit_1_0_finder.py": finder},
    ))  # fmt: skip
    tree = opened("edit")
    assert paths(tree) == ["lib/__init__.py", "lib/core.py", "single.py", "spaces/ns/part/x.py"]
    assert tree.modules.files_of("edit.core") == ("lib/core.py",)
    assert tree.modules.module_of("lib/__init__.py") == "edit"
    assert tree.modules.files_of("single") == ("single.py",)
    assert tree.modules.is_namespace("ns.part")


def test_editable_of_a_kind_not_known_is_its_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no pointer can be read, the project folder of direct_url.json is looked at like any folder."""
    project = write(tmp_path / "project", {"src/edit/__init__.py": "", "pyproject.toml": ""})
    site(tmp_path, monkeypatch, editable(project, **{"_edit_loader.pth": "import _edit_loader\n"}))
    assert opened("edit").roots == ("src", "")
    (project / "src/edit/__init__.py").unlink()
    for folder in ("src/edit", "src", ""):
        for path in (project / folder).iterdir():
            path.unlink()
        (project / folder).rmdir()
    with pytest.raises(NoSuchTree, match="which is not there"):
        opened("edit")


def test_old_develop_installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`setup.py develop` leaves an .egg-link that names the project."""
    project = write(tmp_path / "project", {"old.egg-info/PKG-INFO": INFO.format("old", "0.1"), "old/__init__.py": ""})
    site(tmp_path, monkeypatch, {"old.egg-link": f"{project}\n."})
    tree = opened("old")
    assert (tree.version, paths(tree)) == ("0.1", ["old/__init__.py"])


@pytest.mark.parametrize("python", ["/no/such/python", "false", ".", "a\0b"])
def test_python_that_cannot_be_asked(python: str) -> None:
    """An interpreter that is none is an error in one line."""
    with pytest.raises(TreeError) as caught:
        opened("pytest-not-a-folder", python=python)
    assert "\n" not in str(caught.value)
    assert not isinstance(caught.value, NoSuchTree)


# --- requirements -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "as_pip_takes_it", "exact"),
    [
        ("sqlparse", "sqlparse", False),
        ("SQL_Parse == 0.5.0", "sql-parse==0.5.0", True),
        ("sglang[all,srt]==0.5.9", "sglang==0.5.9", True),
        ("x (>=1, <2)", "x<2,>=1", False),
        ("x==1.*", "x==1.*", False),
        ("x===1.0+local", "x===1.0+local", True),
        ("x~=1.4", "x~=1.4", False),
    ],
)
def test_requirement(text: str, as_pip_takes_it: str, exact: bool) -> None:
    """A requirement is normalised, and known to be exact only when it pins one version."""
    found = parse_requirement(text)
    assert (found.text, found.exact) == (as_pip_takes_it, exact)


@pytest.mark.parametrize(
    "text",
    ["", "-r requirements.txt", "--index-url=http://x", "x --pre", "x @ https://host/x.whl", "git+https://host/x",
     "./x.whl", "x; python_version < '3'", "x==1\n--pre", "x=1", "x==", "$(id)", "x==1 -e ."],
)  # fmt: skip
def test_what_is_no_requirement_never_reaches_pip(text: str, tmp_path: Path) -> None:
    """Options, addresses, paths and markers are refused before any process is started."""
    said: list[str] = []
    with pytest.raises(FetchError):
        open_tree("pypi:" + text, cache=tmp_path / "cache", say=said.append)
    assert not said
    assert not (tmp_path / "cache").exists()


def index_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *names: str) -> Path:
    """A folder of archives, and pip configured to know nothing else."""
    folder = tmp_path / "links"
    folder.mkdir()
    for name in names:
        with zipfile.ZipFile(folder / name, "w") as file:
            project, version = name.split("-")[:2]
            file.writestr(f"{project}/__init__.py", f"VERSION = {version!r}\n")
            file.writestr(f"{project}-{version}.dist-info/METADATA", INFO.format(project, version))
            file.writestr(f"{project}-{version}.dist-info/WHEEL", "Wheel-Version: 1.0\n")
            file.writestr(f"{project}-{version}.dist-info/RECORD", "")
    for key in [key for key in os.environ if key.startswith("PIP_")]:
        monkeypatch.delenv(key)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def test_exact_pin_is_fetched_once_and_then_offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """pip runs once for a pin; afterwards nothing is started, and nothing is said."""
    links = index_of(tmp_path, monkeypatch, "demo-1.0-py3-none-any.whl", "demo-1.1-py3-none-any.whl")
    said: list[str] = []
    tree = open_tree("pypi:demo==1.0", cache=tmp_path / "cache", say=said.append)
    assert (tree.name, tree.version, paths(tree)) == ("demo", "1.0", ["demo/__init__.py"])
    assert said == ["fetching demo==1.0 with pip, once"]
    (links / "demo-1.0-py3-none-any.whl").unlink()
    monkeypatch.setattr(subprocess, "run", None)
    said.clear()
    again = open_tree("pypi:Demo == 1.0", cache=tmp_path / "cache", say=said.append)
    assert (again.root, said) == (tree.root, [])
    assert not list((tmp_path / "cache").rglob("*.whl"))


def test_open_requirement_is_remembered_with_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a requirement without a pin was resolved to stays, and is said every time."""
    index_of(tmp_path, monkeypatch, "demo-1.0-py3-none-any.whl", "demo-1.1-py3-none-any.whl")
    said: list[str] = []
    assert open_tree("pypi:demo", cache=tmp_path / "cache", say=said.append).version == "1.1"
    assert "demo is demo 1.1" in said[-1]
    assert open_tree("pypi:demo<1.1", cache=tmp_path / "cache", say=said.append).version == "1.0"
    monkeypatch.setattr(subprocess, "run", None)
    said.clear()
    assert open_tree("pypi:demo", cache=tmp_path / "cache", say=said.append).version == "1.1"
    assert len(said) == 1


def test_wheel_for_any_platform_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wheel for another system and another Python is source all the same."""
    index_of(tmp_path, monkeypatch, "demo-1.0-cp310-cp310-win_amd64.whl")
    assert open_tree("pypi:demo==1.0", cache=tmp_path / "cache").version == "1.0"


def test_source_distribution_is_unpacked_and_never_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where only a source distribution exists, its file is brought, and no line of it runs."""
    import io
    import tarfile

    links = index_of(tmp_path, monkeypatch)
    ran = tmp_path / "ran"
    setup = f"open({str(ran)!r}, 'w').write('setup.py ran')\nfrom setuptools import setup\nsetup(name='demo')\n"
    with tarfile.open(links / "demo-1.0.tar.gz", "w:gz") as file:
        for name, text in {"setup.py": setup, "demo.py": "", "PKG-INFO": INFO.format("demo", "1.0")}.items():
            info = tarfile.TarInfo(f"demo-1.0/{name}")
            info.size = len(text)
            file.addfile(info, io.BytesIO(text.encode()))
    tree = open_tree("pypi:demo==1.0", cache=tmp_path / "cache")
    assert (tree.version, paths(tree)) == ("1.0", ["demo.py", "setup.py"])
    assert not ran.exists()


def test_version_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing version is one line with pip's reason, and the versions there are as the way out."""
    index_of(tmp_path, monkeypatch, "demo-1.0-py3-none-any.whl", "demo-1.1-py3-none-any.whl")
    with pytest.raises(FetchError, match="No matching distribution found") as caught:
        open_tree("pypi:demo==1.2", cache=tmp_path / "cache")
    assert "1.1" in caught.value.hint
    assert "\n" not in str(caught.value)
    assert isinstance(pickle.loads(pickle.dumps(caught.value)), CodemapError)
    assert not list((tmp_path / "cache" / "downloads").iterdir())


def test_index_that_cannot_be_reached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a network it says so, at the first attempt."""
    index_of(tmp_path, monkeypatch)
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "1")
    with pytest.raises(FetchError, match="cannot be reached") as caught:
        open_tree("pypi:demo==1.0", cache=tmp_path / "cache")
    assert "offline" in caught.value.hint


def test_pip_in_the_current_folder_is_not_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pip.py beside the user's files is never run."""
    index_of(tmp_path, monkeypatch, "demo-1.0-py3-none-any.whl")
    here = write(tmp_path / "here", {"pip.py": "open('ran', 'w')\n", "pip/__main__.py": "open('ran', 'w')\n"})
    monkeypatch.chdir(here)
    assert open_tree("pypi:demo==1.0", cache=tmp_path / "cache").version == "1.0"
    assert not (here / "ran").exists()


# --- cost -------------------------------------------------------------------------------------------------------
def test_opening_a_folder_imports_nothing_heavy(tmp_path: Path) -> None:
    """A warm question pays for no hashing, archives, child processes or metadata machinery."""
    write(tmp_path, {"a/__init__.py": ""})
    code = (
        "import sys; before = set(sys.modules)\nfrom pathlib import Path\nfrom codemap.source.trees import open_tree\n"
        f"tree = open_tree({str(tmp_path)!r}, cache=Path('unused')); tree.modules.files_of('a')\n"
        "heavy = {'hashlib', 'tempfile', 'zipfile', 'tarfile', 'subprocess', 'json', 'csv', 'ast', 'inspect', 'difflib',"
        " 'importlib.metadata', 'dataclasses', 'shutil'}\n"
        "print(sorted(heavy & (set(sys.modules) - before)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert done.stdout.strip() == "[]"

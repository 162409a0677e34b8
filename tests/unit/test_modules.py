"""Files to module names and back."""
from __future__ import annotations

from collections.abc import Sequence

import pytest

from codemap.source.modules import ModuleMap


def modules(
    *paths: str, extensions: Sequence[str] = (), mounts: Sequence[tuple[str, str]] = (("", ""),), root: str = ""
) -> ModuleMap:
    return ModuleMap(tuple(sorted(paths)), tuple(sorted(extensions)), mounts, root)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("pkg/sub/__init__.py", "pkg.sub"),
        ("pkg/sub/mod.py", "pkg.sub.mod"),
        ("pkg/mod.pyi", "pkg.mod"),
        ("loose.py", "loose"),
        ("tools/my-script.py", "tools.my-script"),
        ("v1.2/tool.py", "v1.2.tool"),
        ("pkg/initial.py", "pkg.initial"),
    ],
)
def test_name_of_a_file(path: str, name: str) -> None:
    """A file's module name is its path from the import root, without suffix and __init__."""
    assert modules(path).module_of(path) == name


@pytest.mark.parametrize("path", ["pkg/a.py", "pkg/__init__.py", "my-script.py", "v1.2/tool.py", "a.b.py", "n/s/deep.pyi"])
def test_every_file_is_found_under_its_own_name(path: str) -> None:
    """files_of(module_of(path)) has the path, odd names included."""
    assert path in modules(path, "other.py").files_of(modules(path).module_of(path))


def test_innermost_root_names_a_file() -> None:
    """A file belongs to the longest import root that holds it."""
    found = modules("src/pkg/a.py", "tests/test_a.py", "setup.py", mounts=(("src", ""), ("", "")))
    assert [found.module_of(path) for path in ("src/pkg/a.py", "tests/test_a.py", "setup.py")] == [
        "pkg.a", "tests.test_a", "setup",
    ]  # fmt: skip
    assert found.files_of("pkg.a") == ("src/pkg/a.py",)
    assert found.files_of("src.pkg.a") == ("src/pkg/a.py",)  # as when Python runs in the project's folder


def test_a_tree_inside_a_package_bears_the_whole_name() -> None:
    """Where the folder is a package itself, names begin with its dotted name, paths do not."""
    found = modules("__init__.py", "core.py", "sub/x.py", mounts=(("", "outer.pkg"),))
    assert found.module_of("__init__.py") == "outer.pkg"
    assert found.module_of("sub/x.py") == "outer.pkg.sub.x"
    assert found.files_of("outer.pkg") == ("__init__.py",)
    assert found.files_of("outer.pkg.core") == ("core.py",)
    assert found.files_of("core") == ()
    assert found.is_package("outer.pkg")
    assert found.submodules("outer.pkg") == ("outer.pkg.core", "outer.pkg.sub")
    assert found.resolve_relative("sub/x.py", 3, "other") == "outer.other"
    assert found.resolve_relative("sub/x.py", 4, "other") is None


def test_package_wins_over_module() -> None:
    """Of a/b.py and a/b/__init__.py Python takes the package."""
    found = modules("a/b.py", "a/b/__init__.py", "a/b/c.py")
    assert found.files_of("a.b") == ("a/b/__init__.py",)
    assert found.is_package("a.b")
    assert found.files_of("a.b.c") == ("a/b/c.py",)


def test_module_wins_over_folder_without_init() -> None:
    """A module hides a folder of its name that has no __init__.py: nothing below can be imported by that name."""
    found = modules("a/b.py", "a/b/c.py")
    assert found.files_of("a.b") == ("a/b.py",)
    assert not found.is_namespace("a.b")
    assert found.submodules("a.b") == ()


def test_stub_follows_its_module() -> None:
    """The source stands before the stub, wherever each lies; a stub alone is the module."""
    found = modules("a.py", "a.pyi", "p/__init__.py", "p/__init__.pyi", "s.pyi", "q.py", "q/__init__.pyi")
    assert found.files_of("a") == ("a.py", "a.pyi")
    assert found.files_of("p") == ("p/__init__.py", "p/__init__.pyi")
    assert found.files_of("s") == ("s.pyi",)
    assert found.files_of("q") == ("q.py", "q/__init__.pyi")


def test_compiled_module_is_a_boundary_with_a_path() -> None:
    """A C extension exists, has a path, and may stand beside a stub or a source."""
    found = modules(
        "pkg/__init__.py", "pkg/_fast.pyi", "pkg/both.py",
        extensions=["pkg/_core.cpython-311-x86_64-linux-gnu.so", "pkg/_fast.abi3.so", "pkg/both.so", "win.cp312-win_amd64.pyd"],
    )  # fmt: skip
    assert found.extension_of("pkg._core") == "pkg/_core.cpython-311-x86_64-linux-gnu.so"
    assert found.exists("pkg._core")
    assert not found.files_of("pkg._core")
    assert found.files_of("pkg._fast") == ("pkg/_fast.pyi",)
    assert found.extension_of("pkg._fast") == "pkg/_fast.abi3.so"
    assert found.extension_of("pkg.both") == "pkg/both.so"
    assert found.extension_of("win") == "win.cp312-win_amd64.pyd"
    assert found.extension_of("pkg.nothing") is None
    assert "pkg._core" in found.submodules("pkg")


def test_namespace_package_spans_roots() -> None:
    """Folders without __init__ of one name are one package over all roots (PEP 420)."""
    found = modules("one/ns/a.py", "two/ns/b.py", mounts=(("one", ""), ("two", ""), ("", "")))
    assert found.is_namespace("ns")
    assert not found.is_package("ns")
    assert found.files_of("ns") == ()
    assert found.submodules("ns") == ("ns.a", "ns.b")
    assert found.files_of("ns.b") == ("two/ns/b.py",)


def test_regular_package_in_a_later_root_ends_the_namespace() -> None:
    """A regular package anywhere on the path wins over namespace portions, those before it included."""
    found = modules("one/ns/a.py", "two/ns/__init__.py", "two/ns/b.py", mounts=(("one", ""), ("two", "")))
    assert found.is_package("ns")
    assert found.files_of("ns.a") == ()
    assert found.files_of("ns.b") == ("two/ns/b.py",)


def test_first_root_wins_unless_the_asker_is_nearer() -> None:
    """Of two regular packages the first root's is taken, but a file prefers its own root."""
    paths = ["one/tests/__init__.py", "one/tests/util.py", "two/tests/__init__.py", "two/tests/util.py"]
    found = modules(*paths, mounts=(("one", ""), ("two", "")))
    assert found.files_of("tests.util") == ("one/tests/util.py",)
    assert found.files_of("tests.util", near="two/tests/__init__.py") == ("two/tests/util.py",)
    assert found.files_of("tests.util", near="one/tests/__init__.py") == ("one/tests/util.py",)


def test_namespace_needs_python_in_it() -> None:
    """A folder that holds no Python at any depth is no module, one that holds it deep down is."""
    found = modules("a/b/c/d.py", extensions=["only/ext.so"])
    assert [found.is_namespace(name) for name in ("a", "a.b", "a.b.c", "only", "b", "")] == [
        True, True, True, True, False, False,
    ]  # fmt: skip
    assert not found.exists("a.b.c.e")


@pytest.mark.parametrize(
    ("path", "level", "module", "expected"),
    [
        ("pkg/sub/mod.py", 0, "os", "os"),
        ("pkg/sub/mod.py", 1, "x", "pkg.sub.x"),
        ("pkg/sub/mod.py", 1, "", "pkg.sub"),
        ("pkg/sub/mod.py", 2, "x.y", "pkg.x.y"),
        ("pkg/sub/mod.py", 3, "x", None),
        ("pkg/sub/__init__.py", 1, "x", "pkg.sub.x"),
        ("pkg/sub/__init__.pyi", 2, "x", "pkg.x"),
        ("loose.py", 1, "x", None),
        ("pkg/__init__.py", 2, "", None),
    ],
)
def test_relative_import(path: str, level: int, module: str, expected: str | None) -> None:
    """One dot is the package that the file is in, each further dot one above, and the top is the end (PEP 328)."""
    assert modules(path).resolve_relative(path, level, module) == expected


def test_submodules_are_names_one_can_import() -> None:
    """Children are listed once and sorted, without __init__ and names that are no identifiers."""
    found = modules("p/__init__.py", "p/b.py", "p/b/c.py", "p/a/x.py", "p/a/y.py", "p/my-script.py", "p/a.pyi", "q.py", "p0.py")
    assert found.submodules("p") == ("p.a", "p.b")
    assert found.submodules("") == ("p", "p0", "q")
    assert found.submodules("nothing") == ()


@pytest.mark.parametrize(
    ("fragment", "expected"),
    [
        ("utils.py", ("a/managers/utils.py", "b/utils.py")),
        ("managers/utils.py", ("a/managers/utils.py",)),
        ("./managers/utils.py", ("a/managers/utils.py",)),
        ("managers\\utils.py", ("a/managers/utils.py",)),
        ("anagers/utils.py", ()),
        ("a.managers.utils", ("a/managers/utils.py",)),
        ("managers.utils", ("a/managers/utils.py",)),
        ("managers/utils", ("a/managers/utils.py",)),
        ("a/managers", ("a/managers/__init__.py",)),
        ("a/managers/", ("a/managers/__init__.py",)),
        ("b/utils.py", ("b/utils.py",)),
        ("/checkout/b/utils.py", ("b/utils.py",)),
        ("/elsewhere/b/utils.py", ()),
        ("no_such.py", ()),
        ("../b/utils.py", ()),
        ("", ()),
        (".", ()),
    ],
)
def test_what_a_person_wrote(fragment: str, expected: tuple[str, ...]) -> None:
    """A path, the end of one in whole parts, or a dotted name finds its files; nothing finds half a part."""
    found = modules("a/managers/__init__.py", "a/managers/utils.py", "b/utils.py", root="/checkout")
    assert found.paths_matching(fragment) == expected


def test_whole_name_means_that_one_only() -> None:
    """A whole path or module name is not a suffix of others as well."""
    found = modules("utils.py", "deep/utils.py")
    assert found.paths_matching("utils.py") == ("utils.py",)
    assert found.paths_matching("utils") == ("utils.py",)
    assert found.paths_matching("deep.utils") == ("deep/utils.py",)

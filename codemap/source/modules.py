# Files to module names and back, by looking paths up and never by a table of all modules: a warm question asks
# about a handful of names, and a table of 5,000 costs more than its answer. Sorted paths make "is there anything
# below this folder" a bisection, which is all that a namespace package is.
#
# The order is that of CPython's path finder, entry by entry: package, C extension, module, and only when no
# entry has one of these, the folders without __init__ together (PEP 420).
from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

_SUFFIXES: Final = ("/__init__.py", ".py", "/__init__.pyi", ".pyi")


class ModuleMap:
    """Which file is which module.

    Module names are dotted. Paths are relative to the tree's root, with "/". Files whose name is no identifier
    (`my-script.py`) get their name as it stands ("my-script").

    `near` is the path of the file that asks: where several projects of one tree each have a module of that
    name, those of its own import root come first. Without it the roots count in their order.
    """

    __slots__ = ("_extension_bases", "_extensions", "_found", "_longest", "_mounts", "_odd", "_paths", "_places",
                 "_root", "_set")  # fmt: skip

    def __init__(
        self,
        paths: Sequence[str],
        extensions: Sequence[str] = (),
        mounts: Sequence[tuple[str, str]] = (("", ""),),
        root: str = "",
    ) -> None:
        """`paths` and `extensions` sorted; `mounts` are pairs of a folder and the dotted name that it bears
        ("" for an import root); `root` is the tree's absolute folder, so that absolute paths can be asked for."""
        self._paths = paths
        self._set = frozenset(paths)
        self._extensions = extensions
        self._mounts = tuple(mounts)
        self._longest = tuple(sorted(self._mounts, key=lambda mount: -len(mount[0])))
        self._root = root
        self._places: dict[tuple[str, str | None], tuple[str, ...]] = {}
        self._found: dict[tuple[str, str | None], tuple[str, ...]] = {}
        self._odd: dict[str, list[str]] | None = None
        self._extension_bases: dict[str, str] | None = None

    # --- from a file to its module ------------------------------------------------------------------------
    def module_of(self, path: str) -> str:
        """The dotted name of a file: "pkg/sub/__init__.py" is "pkg.sub"."""
        folder, dotted = self._mount_of(path)
        name = path[len(folder) + 1 :] if folder else path
        name = name.removesuffix(".pyi").removesuffix(".py")
        if name == "__init__" and dotted:
            return dotted
        name = name.removesuffix("/__init__").replace("/", ".")
        return f"{dotted}.{name}" if dotted else name

    def resolve_relative(self, path: str, level: int, module: str) -> str | None:
        """The absolute name of `from <level dots><module> import ...` in a file (PEP 328).

        None when the dots climb out of the outermost package.
        """
        if not level:
            return module
        package = self.module_of(path)
        if path.rpartition("/")[2] not in ("__init__.py", "__init__.pyi"):
            package = package.rpartition(".")[0]
        for _ in range(level - 1):
            package = package.rpartition(".")[0]
        if not package:
            return None
        return f"{package}.{module}" if module else package

    # --- from a module to its files -----------------------------------------------------------------------
    def files_of(self, module: str, near: str = "") -> tuple[str, ...]:
        """The file that Python would run for a module, then its stub; () when the tree has neither."""
        key = (module, self._mount_of(near)[0] if near else None)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._find(*key)
        return found

    def is_package(self, module: str, near: str = "") -> bool:
        """Whether it is a regular package: a folder with an __init__ (source, stub or C extension)."""
        files = self.files_of(module, near)
        if files:
            return files[0].endswith(("/__init__.py", "/__init__.pyi")) or files[0] in (
                "__init__.py",
                "__init__.pyi",
            )
        return any(self._extension_at(place + "/__init__") for place in self._folders_of(module, near))

    def is_namespace(self, module: str, near: str = "") -> bool:
        """Whether it is a namespace package: folders without __init__ that hold Python (PEP 420)."""
        if self.files_of(module, near) or self.extension_of(module, near):
            return False
        return bool(module) and bool(self._folders_of(module, near))

    def exists(self, module: str, near: str = "") -> bool:
        """Whether the tree has it as a file, a package, a C extension, or a folder that holds Python."""
        return bool(
            self.files_of(module, near)
            or self.extension_of(module, near)
            or (module and self._folders_of(module, near))
        )

    def extension_of(self, module: str, near: str = "") -> str | None:
        """The path of the compiled module (.so, .pyd) of that name, None where there is none."""
        parent, _, last = module.rpartition(".")
        for place in self._folders_of(parent, near):
            base = f"{place}/{last}" if place else last
            found = self._extension_at(base) or self._extension_at(base + "/__init__")
            if found:
                return found
        return None

    def submodules(self, module: str, near: str = "") -> tuple[str, ...]:
        """The dotted names of the modules and packages directly in a package, sorted; "" for the outermost ones."""
        names: set[str] = set()
        for place in self._folders_of(module, near):
            prefix = place + "/" if place else ""
            for paths in (self._paths, self._extensions):
                position = bisect_left(paths, prefix)
                while position < len(paths) and paths[position].startswith(prefix):
                    name, slash, _ = paths[position][len(prefix) :].partition("/")
                    if slash:
                        position = bisect_left(paths, f"{prefix}{name}0", position)  # "0" follows "/"
                    else:
                        name = name.partition(".")[0]
                        position += 1
                    if name.isidentifier() and name != "__init__":
                        names.add(f"{module}.{name}" if module else name)
        return tuple(sorted(names))

    # --- from what a person wrote to files ------------------------------------------------------------------
    def paths_matching(self, fragment: str) -> tuple[str, ...]:
        """The files that a path, the end of a path (whole parts) or a dotted name means, sorted.

        A whole path or a whole module name means that one only. "managers/utils" is "managers/utils.py" or
        the package of that name.
        """
        text = fragment.strip().replace("\\", "/")
        if self._root and text.startswith(self._root.replace("\\", "/").rstrip("/") + "/"):
            text = text[len(self._root.rstrip("/\\")) + 1 :]
            return (text,) if text in self._set else ()
        while text.startswith("./"):
            text = text[2:]
        text = text.rstrip("/")
        if not text:
            return ()
        if text in self._set:
            return (text,)
        if text.endswith((".py", ".pyi")):
            found = self._ending(text)
            if found or "/" in text:
                return found
        if "/" not in text:
            files = self.files_of(text)
            if files:
                return files
            text = text.replace(".", "/")
        return self._ending(*(text + suffix for suffix in _SUFFIXES))

    # --- how ------------------------------------------------------------------------------------------------
    def _mount_of(self, path: str) -> tuple[str, str]:
        """The innermost import root that holds the path."""
        for mount in self._longest:
            folder = mount[0]
            if not folder or path.startswith(folder + "/"):
                return mount
        return ("", "")

    def _ending(self, *ends: str) -> tuple[str, ...]:
        """The paths that end in one of these, whole parts."""
        tails = tuple("/" + end for end in ends)
        return tuple(path for path in self._paths if path in ends or path.endswith(tails))

    def _below(self, folder: str) -> bool:
        """Whether any Python lies in the folder."""
        prefix = folder + "/"
        for paths in (self._paths, self._extensions):
            position = bisect_left(paths, prefix)
            if position < len(paths) and paths[position].startswith(prefix):
                return True
        return False

    def _extension_at(self, base: str) -> str | None:
        if self._extension_bases is None:
            bases: dict[str, str] = {}
            for path in self._extensions:
                folder, slash, name = path.rpartition("/")
                bases.setdefault(f"{folder}{slash}{name.partition('.')[0]}", path)
            self._extension_bases = bases
        return self._extension_bases.get(base)

    def _folders_of(self, module: str, near: str = "") -> tuple[str, ...]:
        """Where submodules of a package are looked for: what Python calls its `__path__`, "" for sys.path."""
        return self._path_of(module, self._mount_of(near)[0] if near else None)

    def _path_of(self, module: str, own: str | None) -> tuple[str, ...]:
        key = (module, own)
        known = self._places.get(key)
        if known is None:
            known = self._places[key] = self._look_for_path(module, own)
        return known

    def _look_for_path(self, module: str, own: str | None) -> tuple[str, ...]:
        mounts = self._mounts
        if own is not None:
            mounts = tuple(sorted(mounts, key=lambda mount: mount[0] != own))
        portions = [folder for folder, dotted in mounts if dotted == module]
        if not module:
            return tuple(portions)
        for folder in portions:
            if self._is_regular(folder):
                return (folder,)
        parent, _, last = module.rpartition(".")
        for place in self._path_of(parent, own):
            base = f"{place}/{last}" if place else last
            if self._is_regular(base):
                return (base,)
            if base + ".py" in self._set or self._extension_at(base):
                return ()  # a plain module: it has no submodules
            if self._below(base):
                portions.append(base)
        return tuple(portions)

    def _is_regular(self, folder: str) -> bool:
        base = f"{folder}/__init__" if folder else "__init__"
        return base + ".py" in self._set or base + ".pyi" in self._set or self._extension_at(base) is not None

    def _find(self, module: str, own: str | None) -> tuple[str, ...]:
        if not module:
            return ()
        paths = self._set
        bases = [folder for folder, dotted in self._mounts if dotted == module]
        for folder in bases:
            init = f"{folder}/__init__" if folder else "__init__"
            found = tuple(path for path in (init + ".py", init + ".pyi") if path in paths)
            if found:
                return found
        parent, _, last = module.rpartition(".")
        for place in self._path_of(parent, own):
            base = f"{place}/{last}" if place else last
            package, stub = f"{base}/__init__.py", f"{base}/__init__.pyi"
            source = package if package in paths else base + ".py"
            stubs = (
                (stub, base + ".pyi")
                if package in paths or base + ".py" not in paths
                else (base + ".pyi", stub)
            )
            found = tuple(
                path
                for path in (source, next((each for each in stubs if each in paths), ""))
                if path in paths
            )
            if found or self._extension_at(base):
                return found
        return self._find_odd(module)

    def _find_odd(self, module: str) -> tuple[str, ...]:
        """Files whose parts hold further dots ("v1.2/tool.py"): no import reaches them, their own name does."""
        if self._odd is None:
            odd: dict[str, list[str]] = {}
            for path in self._paths:
                if path.count(".") > 1:
                    odd.setdefault(self.module_of(path), []).append(path)
            self._odd = odd
        return tuple(self._odd.get(module, ()))

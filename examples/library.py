"""The library instead of the command line: which classes of a tree are defined more than once?

python examples/library.py [TREE]
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from pathlib import Path

import codemap


def main() -> int:
    """Counts class names with `ast`, and asks codemap where those are that several files define."""
    spec = sys.argv[1] if len(sys.argv) > 1 else "."
    try:
        with codemap.open_map(spec) as tree:
            status = tree.status()
            root = Path(status.tree.root)
            names: Counter[str] = Counter()
            for row in status.extra["files"]:
                names.update(classes_of(root / row["file"]))
            for name in sorted(name for name, count in names.items() if count > 1):
                answer = tree.find_class(name)
                print(f"{name}: {answer.status}")
                for result in answer.results:
                    print(f"  {result['file']}:{result['line']}  {result['name']}  ({result['confidence']})")
    except codemap.CodemapError as error:
        print(f"{error.message}\n{error.hint}", file=sys.stderr)
        return error.exit_code
    return 0


def classes_of(path: Path) -> list[str]:
    """The names of the classes that a file defines at its top."""
    try:
        return [node.name for node in ast.parse(path.read_bytes()).body if isinstance(node, ast.ClassDef)]
    except SyntaxError:
        return []


if __name__ == "__main__":
    sys.exit(main())

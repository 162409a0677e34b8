"""How long `consumers` of a field takes beside a ty server's references: `attribute_sites.py TREE CLASS.ATTR [TIMES]`.

Both are timed from the start of a process to the whole answer, in turn, on the same tree: ty cold (initialize, open
the file of the field, references), codemap with an empty cache, codemap with a warm one. ty is taken from PATH.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def codemap(tree: str, name: str, cache: str) -> tuple[float, float, int]:
    """Wall and processor seconds of one question, and the number of answers."""
    began, used = time.perf_counter(), _children()
    command = [sys.executable, "-m", "codemap", "consumers", name, "--tree", tree, "--json"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, "CODEMAP_CACHE_DIR": cache}
    )
    return time.perf_counter() - began, _children() - used, len(json.loads(done.stdout)["results"])


def place_of(tree: str, name: str) -> tuple[str, int, int]:
    """Where the field is defined."""
    with tempfile.TemporaryDirectory() as cache:
        command = [sys.executable, "-m", "codemap", "find", name, "--tree", tree, "--json"]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "CODEMAP_CACHE_DIR": cache},
        )
    first = json.loads(done.stdout)["results"][0]
    return first["file"], first["line"], first["column"]


def ty(tree: str, place: tuple[str, int, int]) -> tuple[float, float, int]:
    """Wall and processor seconds of a cold ty server's references, and the number of answers."""
    began, used = time.perf_counter(), _children()
    server = subprocess.Popen(
        ["ty", "server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=tree
    )
    path = Path(tree, place[0])

    def send(message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert server.stdin is not None
        server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        server.stdin.flush()

    def wait(number: int) -> Any:
        assert server.stdout is not None
        while True:
            length = 0
            while line := server.stdout.readline().strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            message = json.loads(server.stdout.read(length))
            if message.get("id") == number and "method" not in message:
                return message.get("result")
            if "method" in message and "id" in message:
                items = (
                    message.get("params", {}).get("items", ())
                    if isinstance(message.get("params"), dict)
                    else ()
                )
                send({"id": message["id"], "result": [None] * len(items) if items else None})

    root = Path(tree).as_uri()
    send({"id": 1, "method": "initialize", "params": {
        "processId": os.getpid(), "rootUri": root, "workspaceFolders": [{"uri": root, "name": "tree"}],
        "capabilities": {"textDocument": {"references": {}}},
    }})  # fmt: skip
    wait(1)
    send({"method": "initialized", "params": {}})
    text = path.read_text("utf-8")
    send({"method": "textDocument/didOpen", "params": {
        "textDocument": {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": text}
    }})  # fmt: skip
    send({"id": 2, "method": "textDocument/references", "params": {
        "textDocument": {"uri": path.as_uri()}, "position": {"line": place[1] - 1, "character": place[2] - 1},
        "context": {"includeDeclaration": True},
    }})  # fmt: skip
    found = wait(2) or []
    wall = time.perf_counter() - began
    server.kill()
    server.wait()
    return wall, _children() - used, len(found)


def main() -> None:
    """Prints medians and ratios."""
    tree, name = os.path.abspath(sys.argv[1]), sys.argv[2]
    times = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    place = place_of(tree, name)
    rows: dict[str, list[tuple[float, float, int]]] = {"ty cold": [], "codemap cold": [], "codemap warm": []}
    with tempfile.TemporaryDirectory() as warm:
        codemap(tree, name, warm)
        for _ in range(times):
            rows["ty cold"].append(ty(tree, place))
            empty = tempfile.mkdtemp()
            rows["codemap cold"].append(codemap(tree, name, empty))
            shutil.rmtree(empty)
            rows["codemap warm"].append(codemap(tree, name, warm))
    base = statistics.median(row[0] for row in rows["ty cold"])
    base_used = statistics.median(row[1] for row in rows["ty cold"])
    for title, entries in rows.items():
        wall = statistics.median(row[0] for row in entries)
        used = statistics.median(row[1] for row in entries)
        print(
            f"{title:14} {wall:6.3f} s wall ({wall / base:4.2f} of ty)  {used:6.3f} s processor "
            f"({used / base_used:4.2f} of ty)  {entries[0][2]} answers"
        )


if __name__ == "__main__":
    main()

"""The commands on a small tree: what they print, as text and as JSON, and how they exit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

FILES: dict[str, str | bytes] = {
    "shop/__init__.py": "from .orders import Order as Order\n",
    "shop/orders.py": (
        "import enum\n"
        "from dataclasses import dataclass\n"
        "from typing import TYPE_CHECKING\n"
        "\n"
        "if TYPE_CHECKING:\n"
        "    from shop.till import Till\n"
        "\n"
        "\n"
        "@dataclass\n"
        "class Order:\n"
        "    price: int = 0\n"
        "\n"
        "    def pay(self, till: 'Till') -> None:\n"
        "        till.take(self)\n"
    ),
    "shop/till.py": (
        "from shop.orders import Order\n"
        "\n"
        "\n"
        "class Till:\n"
        "    def take(self, order: Order) -> None:\n"
        "        import json\n"
        "        try:\n"
        "            import fast_json\n"
        "        except ImportError:\n"
        "            fast_json = json\n"
    ),
    "shop/notes.py": "# Order is only talked about here\n",
    "shop/empty.py": "",
    "other/orders.py": "class Order:\n    pass\n",
}


@pytest.fixture
def shop(tree: Any) -> Path:
    root: Path = tree(FILES)
    return root


def test_find_class_says_where_how_re_exported_and_what_files_have_to_do_with_it(
    codemap: Any, shop: Path
) -> None:
    """One line a thing, each beginning with its place."""
    said = codemap("find-class", "shop.orders.Order", "--in", "till.py", "--in", "notes.py", "--in", "empty.py",
                   "--in", "orderz.py", "--in", "shop/orders.py", tree=shop)  # fmt: skip
    assert said.out.splitlines() == [
        "shop/orders.py:10:7: class shop.orders.Order [dataclass]",
        "shop/__init__.py:1:1: runtime re-export shop.Order",
        "shop/till.py:1:1: runtime re-export shop.till.Order",
        "shop/till.py:1:1: imports it from shop.orders at run time",
        "shop/notes.py:1:1: mentions the name, and does not import it",
        "shop/empty.py: does not mention it",
        "orderz.py: no such file; nearest: other/orders.py, shop/orders.py",
        "shop/orders.py:10:1: defines it",
    ]
    assert (said.code, said.err) == (0, "")


def test_find_class_in_json_has_the_same(codemap: Any, shop: Path) -> None:
    """The fields of the contract, one entry in expected_in for each file."""
    said = codemap(
        "find-class", "shop.orders.Order", "--in", "till.py", "--in", "gone.py", "--json", tree=shop
    )
    [result] = said.answer["results"]
    assert (result["name"], result["file"], result["line"]) == ("shop.orders.Order", "shop/orders.py", 10)
    assert result["flags"] == ["dataclass"]
    assert [row["module"] for row in result["exports"]] == ["shop", "shop.till"]
    assert [(row["file"], row["status"], row["line"]) for row in said.answer["expected_in"]] == [
        ("shop/till.py", "imported", 1),
        ("gone.py", "no_such_file", None),
    ]
    assert said.answer["status"] == "found"


def test_two_of_a_name_are_both_answered_and_marked(codemap: Any, shop: Path) -> None:
    """A suffix that fits several is answered for all, never silently for one."""
    said = codemap("find-class", "Order", "--json", tree=shop)
    assert said.answer["status"] == "ambiguous"
    assert [result["name"] for result in said.answer["results"]] == [
        "other.orders.Order",
        "shop.orders.Order",
    ]
    assert said.code == 0
    assert "codemap: Order is ambiguous: 2 results" in said.err


def test_what_is_not_found_is_suggested_and_exits_1(codemap: Any, shop: Path) -> None:
    """Nothing on standard output, the nearest names on standard error."""
    said = codemap("find-class", "Tiller", tree=shop)
    assert (said.code, said.out) == (1, "")
    assert said.err == "codemap: no class named Tiller in tree\n  hint: did you mean Till?\n"
    asked = codemap("find-class", "Tiller", "--json", tree=shop)
    assert (asked.code, asked.answer["status"], asked.answer["suggestions"]) == (1, "not_found", ["Till"])
    assert asked.err == ""


def test_quiet_not_found_says_nothing_at_all(codemap: Any, shop: Path) -> None:
    """A script that wants the exit code only gets the exit code only."""
    assert codemap("find-class", "Tiller", "-q", tree=shop) == (1, "", "")


def test_find_takes_kinds_with_commas_and_repeated(codemap: Any, shop: Path) -> None:
    """--kind class,function and --kind class --kind function are the same."""
    commas = codemap("find", "take", "--kind", "class,method", tree=shop)
    repeated = codemap("find", "take", "--kind", "class", "--kind", "method", tree=shop)
    assert commas == repeated
    assert commas.out == "shop/till.py:5:9: method shop.till.Till.take\n"
    assert codemap("find", "take", "--kind", "class", tree=shop).code == 1


def test_a_kind_that_is_none_is_a_usage_error(codemap: Any, shop: Path) -> None:
    """With the likely one."""
    said = codemap("find", "take", "--kind", "metod", tree=shop)
    assert (said.code, said.out) == (2, "")
    assert said.err == "codemap: --kind metod is no kind of definition\n  hint: did you mean method?\n"


def test_imports_by_file_and_by_module_with_their_kinds(codemap: Any, shop: Path) -> None:
    """Run time, type checkers only, lazily, where it can."""
    said = codemap("imports", "shop/orders.py", tree=shop)
    assert said.out.splitlines() == [
        "shop/orders.py:1:8: runtime import enum",
        "shop/orders.py:2:25: runtime import dataclasses: dataclass",
        "shop/orders.py:3:20: runtime import typing: TYPE_CHECKING",
        "shop/orders.py:6:27: typing import shop.till: Till",
    ]
    kinds = {
        row["module"]: row["import_kind"]
        for row in codemap("imports", "shop.till", "--json", tree=shop).answer["results"]
    }
    assert (
        kinds == {"shop.orders": "runtime", "json": "lazy", "fast_json": "lazy"}
        or kinds["fast_json"] == "optional"
    )


def test_a_module_that_is_not_there_is_not_found(codemap: Any, shop: Path) -> None:
    """Exit code 1, the nearest module, and an envelope in JSON as for any other name."""
    said = codemap("imports", "shop.tills", tree=shop)
    assert (said.code, said.out) == (1, "")
    assert "did you mean shop.till" in said.err
    assert codemap("imports", "shop.tills", "--json", tree=shop).answer["status"] == "not_found"


def test_cycles_tell_import_time_from_type_checkers(codemap: Any, shop: Path) -> None:
    """orders and till need each other for type checkers only."""
    said = codemap("cycles", "--json", tree=shop)
    assert [(row["import_kind"], row["modules"]) for row in said.answer["results"]] == [
        ("typing", ["shop.orders", "shop.till"])
    ]
    assert (
        "typing cycle of 2 modules: shop.orders -> shop.till -> shop.orders"
        in codemap("cycles", tree=shop).out
    )


def test_status_counts_and_lists(codemap: Any, tree: Any) -> None:
    """Lines as Python counts them, parse errors with their place."""
    root = tree({"a.py": "x = 1\n", "b.py": "def f(:\n    pass\n", "c.py": b"\r\n\r\ny = 2"})
    said = codemap("status", "--json", tree=root)
    assert said.answer["files"] == [
        {"file": "a.py", "lines": 1},
        {"file": "b.py", "lines": 2},
        {"file": "c.py", "lines": 3},
    ]
    assert [(row["file"], row["line"]) for row in said.answer["parse_errors"]] == [("b.py", 1)]
    assert said.answer["tree"]["parse_errors"] == 1
    text = codemap("status", tree=root).out.splitlines()
    assert text[0] == "tree: 3 files, 6 lines, 32 bytes, 1 parse error, 0 skipped"
    assert text[1].startswith("b.py:1:1: parse error: ")


def test_index_says_what_it_indexed(codemap: Any, tree: Any) -> None:
    """And how many files it could not parse whole."""
    root = tree({"a.py": "x = 1\n", "b.py": "def f(:\n    pass\n"})
    assert codemap("index", tree=root).out == "tree: 2 files indexed, 1 with parse errors\n"


def test_answers_about_a_tree_with_broken_files_say_so(codemap: Any, tree: Any) -> None:
    """Coverage belongs to the answer; --quiet leaves it to the JSON."""
    root = tree({"a.py": "class A: ...\n", "b.py": "def f(:\n"})
    assert (
        codemap("find", "A", tree=root).err
        == "codemap: 1 file with parse errors: `codemap status` lists them\n"
    )
    assert codemap("find", "A", "--quiet", tree=root).err == ""


def test_limit_cuts_and_says_so(codemap: Any, shop: Path) -> None:
    """In the JSON too, so that nobody takes the first result for the only one."""
    said = codemap("find-class", "Order", "--limit", "1", "--json", tree=shop)
    assert len(said.answer["results"]) == 1
    assert said.answer["status"] == "ambiguous"
    assert said.answer["left_out"] == {"below_confidence": 0, "over_limit": 1}
    assert "1 more result over --limit left out" in said.err


def test_the_same_question_gives_the_same_bytes(
    codemap: Any, shop: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A cold cache, a warm one, one worker or two."""
    outputs = set()
    for cache, jobs in (("one", "1"), ("one", "2"), ("two", "2")):
        monkeypatch.setenv("CODEMAP_CACHE_DIR", str(tmp_path / cache))
        outputs.add(codemap("find-class", "Order", "--json", "--jobs", jobs, tree=shop).out)
    assert len(outputs) == 1


def test_keys_are_sorted_and_the_answer_is_one_line(codemap: Any, shop: Path) -> None:
    """One object, one newline, keys sorted on every level."""
    out = codemap("find-class", "Order", "--json", tree=shop).out
    assert out.count("\n") == 1
    assert out == json.dumps(json.loads(out), sort_keys=True) + "\n"


def test_the_tree_can_come_from_the_settings(
    codemap: Any, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[tool.codemap], then CODEMAP_TREE, then the flag; else the current folder."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "only.py").write_text("class Only: ...\n")
    assert codemap("find", "Only", folder=elsewhere).code == 0
    (elsewhere / "pyproject.toml").write_text(f'[tool.codemap]\ntree = "{shop}"\nformat = "json"\n')
    assert codemap("find", "Till").answer["tree"]["root"] == str(shop)
    monkeypatch.setenv("CODEMAP_TREE", str(elsewhere))
    assert codemap("find", "Till", "--format", "text").code == 1
    assert codemap("find", "Till", "--format", "text", tree=shop).code == 0


def test_exclude_leaves_files_out(codemap: Any, shop: Path) -> None:
    """And the answer is about what is left."""
    assert (
        codemap("find-class", "Order", "--exclude", "other", "--json", tree=shop).answer["status"] == "found"
    )


def test_verbose_says_what_was_asked(codemap: Any, shop: Path) -> None:
    """On standard error; standard output stays the answer."""
    said = codemap("find", "Till", "-v", tree=shop)
    assert said.out == codemap("find", "Till", tree=shop).out
    assert str(shop) in said.err
    assert "answered in" in said.err

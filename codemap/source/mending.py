# Make a tree that was read from rewritten text (rewriting.py) look as the newest interpreter would have given it: put
# f-strings, t-strings, type parameters and tuples of exceptions where their holes are, join what was two statements.
#
# Only the parts of the tree that span a line with something to mend are visited.
from __future__ import annotations

import ast
import re
from bisect import bisect_left
from typing import Any, Final, cast

from codemap.model.facts import ParseError
from codemap.source import grammar
from codemap.source.expressions import read_expression, set_place
from codemap.source.fstrings import Text, elements, specification
from codemap.source.positions import SourceText
from codemap.source.rewriting import Parameter, Rewriter, Span
from codemap.source.strings import Field, StringToken

_LINE_END: Final = re.compile(r"\r\n|\r")
_ESCAPE: Final = re.compile(
    r"\\(?:\n|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^{}]*\}|[^\n])"
)
_STRING_OR_COMMENT: Final = re.compile(
    r"(\"{3}[\s\S]*?\"{3}|'{3}[\s\S]*?'{3}|\"[^\"\n]*\"|'[^'\n]*')|#[^\r\n]*"
)
_DEFINITIONS: Final = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS: Final = (ast.ListComp, ast.SetComp, ast.GeneratorExp)


class TreeMender:
    """Mends the trees of one rewritten text; what could not be read is in `errors`."""

    def __init__(self, source: SourceText, rewriter: Rewriter) -> None:
        self._source = source
        self._rewriter = rewriter
        self._mends = rewriter.mends
        self.errors: list[ParseError] = []

    def module(self, module: ast.Module) -> None:
        """Mend a module in place."""
        lines = self._mends.lines()
        if lines:
            self._visit(module, lines)

    # --- the walk -----------------------------------------------------------------------------------------
    def _visit(self, root: ast.AST, lines: list[int] | None) -> None:
        """Mend all below a node; with `lines`, only where one of them is within a node's lines."""
        stack = [root]
        while stack:
            node = stack.pop()
            children = self._mend_below(node)
            if lines is not None:
                children = [child for child in children if _spans(child, lines)]
            stack += children

    def _mend_below(self, node: ast.AST) -> list[ast.AST]:
        """Replace a node's children where they are to be, and give those that are still to be visited."""
        children: list[ast.AST] = []
        attributes = node.__dict__
        for name, value in list(attributes.items()):
            if isinstance(value, ast.AST):
                attributes[name] = self._mended(value, children)
            elif isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                attributes[name] = self._joined(value)
                children += attributes[name]
            elif isinstance(value, list):
                attributes[name] = [
                    self._mended(item, children) if isinstance(item, ast.AST) else item for item in value
                ]
        if isinstance(node, _DEFINITIONS):
            written = self._mends.parameters.get((node.lineno, node.col_offset))
            if written is not None:
                _set_parameters(node, [self._parameter(parameter) for parameter in written])
        elif isinstance(node, ast.ExceptHandler) and node.type is not None:
            span = self._mends.tuples.get((node.type.lineno, node.type.col_offset))
            if span is not None:
                node.type = self._expression(span)
        return children

    def _mended(self, node: ast.AST, children: list[ast.AST]) -> ast.AST:
        """The node to stand for this one; those that are to be visited are added to `children`."""
        if isinstance(node, ast.Constant):
            run = self._mends.strings.get((node.lineno, node.col_offset))
            return node if run is None else self._string(run)
        children.append(node)
        if isinstance(node, _COMPREHENSIONS):
            item = self._mends.comprehensions.get((node.lineno, node.col_offset))
            if item is not None:
                if item.stars == "*":
                    starred = ast.Starred(node.elt, ast.Load())
                    set_place(starred, self._source, item.start, item.end)
                    node.elt = starred
                elif isinstance(node, ast.SetComp):
                    mapping: Any = ast.DictComp(node.elt, cast(ast.expr, None), node.generators)
                    children[-1] = mapping
                    return cast(ast.AST, ast.copy_location(mapping, node))
        return node

    def _joined(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """Statements with those joined that were one `type` or `lazy import` statement."""
        result: list[ast.stmt] = []
        for statement in statements:
            before = result[-1] if result else None
            if isinstance(before, ast.Expr) and isinstance(before.value, ast.Constant):
                place = (before.lineno, before.col_offset)
                if place in self._mends.lazy and isinstance(statement, ast.Import | ast.ImportFrom):
                    statement.lineno, statement.col_offset = place
                    statement.is_lazy = 1  # type: ignore[union-attr]
                    result.pop()
                elif place in self._mends.aliases and isinstance(statement, ast.Assign):
                    statement = self._alias(place, statement)
                    result.pop()
            result.append(statement)
        return result

    # --- what is put in -----------------------------------------------------------------------------------
    def _expression(self, span: Span) -> ast.expr:
        """An expression of the text; where it cannot be read, an error and None as a constant."""
        try:
            code = self._rewriter.expression(span.start, span.end)
            holder = ast.Expr(read_expression(self._source, span.start, span.end, code))
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line, column = self._source.character_place(span.start)
            self.errors.append(
                ParseError(line, column, getattr(error, "msg", None) or str(error) or "too complex")
            )
            nothing = ast.Constant(None)
            set_place(nothing, self._source, span.start, span.end)
            return nothing
        self._visit(holder, None)
        return holder.value

    def _alias(self, place: tuple[int, int], assign: ast.Assign) -> ast.stmt:
        written = self._mends.aliases[place]
        name = ast.Name(self._source.text[written.name.start : written.name.end], ast.Store())
        set_place(name, self._source, written.name.start, written.name.end)
        parameters = [self._parameter(parameter) for parameter in written.parameters]
        alias: Any = _new(grammar.TypeAlias, name=name, type_params=parameters, value=assign.value)
        alias.lineno, alias.col_offset = place
        alias.end_lineno, alias.end_col_offset = assign.end_lineno, assign.end_col_offset
        return cast(ast.stmt, alias)

    def _parameter(self, written: Parameter) -> grammar.type_param:
        default = None if written.default is None else self._expression(written.default)
        node: Any
        if written.kind:
            node = _new(grammar.TypeVarTuple if written.kind == "*" else grammar.ParamSpec, name=written.name)
        else:
            bound = None if written.bound is None else self._expression(written.bound)
            node = _new(grammar.TypeVar, name=written.name, bound=bound)
        node.default_value = default
        _know_field(node, "default_value")
        set_place(node, self._source, written.start, written.end)
        return cast(grammar.type_param, node)

    def _string(self, run: tuple[StringToken, ...]) -> ast.expr:
        """The node of adjacent literals with an f-string or a t-string among them."""
        token = next(token for token in run if token.formatted)
        values = self._values(elements(run), token)
        node: Any
        if "t" in token.prefix:
            node = _new(grammar.TemplateStr, values=values)
        else:
            node = ast.JoinedStr(values)
            node.mended = True
        set_place(node, self._source, run[0].start, run[-1].end)
        return cast(ast.expr, node)

    def _values(self, found: list[Text | Field], token: StringToken, inner: bool = False) -> list[ast.expr]:
        values: list[ast.expr] = []
        for element in found:
            node: Any
            if isinstance(element, Field):
                node = self._field(element, token, inner)
            else:
                text = self._text(element)
                if not text:
                    continue
                node = ast.Constant(text)
            set_place(node, self._source, element.start, element.end)
            values.append(node)
        return values

    def _field(self, field: Field, token: StringToken, inner: bool) -> ast.expr:
        """A field; one within a format specification is a FormattedValue in t-strings too."""
        value = self._expression(Span(field.value, field.value_end))
        spec: Any = None
        if field.spec >= 0:
            spec = ast.JoinedStr(self._values(specification(token, field), token, inner=True))
            spec.mended = True
            set_place(spec, self._source, field.spec, field.spec_end)
        if "t" in token.prefix and not inner:
            written = _without_comments(self._source.text[field.value : field.value_end]).rstrip()
            node: Any = _new(
                grammar.Interpolation, value=value, str=written, conversion=field.conversion, format_spec=spec
            )
            return cast(ast.expr, node)
        return ast.FormattedValue(value, field.conversion, spec)

    def _text(self, element: Text) -> str:
        """The value of literal text."""
        text = self._source.text
        parts: list[str] = []
        for token, start, end in element.parts:
            written = _LINE_END.sub("\n", text[start:end])
            if token is None:
                parts.append(_without_comments(written))
            elif not token.formatted:
                parts.append(self._plain(written, start))
            else:
                written = written.replace("{{", "{").replace("}}", "}")
                parts.append(written if "r" in token.prefix else self._unescaped(written, start))
        return "".join(parts)

    def _plain(self, written: str, start: int) -> str:
        try:
            value = ast.literal_eval(written)
        except (SyntaxError, ValueError) as error:
            self._report(start, getattr(error, "msg", None) or str(error))
            return ""
        return value if isinstance(value, str) else ""

    def _unescaped(self, written: str, start: int) -> str:
        """Text with its escapes read, as in a plain literal."""
        if "\\" not in written:
            return written
        try:
            return _ESCAPE.sub(_escape, written)
        except (SyntaxError, ValueError) as error:
            self._report(start, getattr(error, "msg", None) or str(error))
            return written

    def _report(self, offset: int, message: str) -> None:
        self.errors.append(ParseError(*self._source.character_place(offset), message))


def _new(kind: Any, **fields: object) -> Any:
    """A node of a class that type checkers know differently in different versions."""
    return kind(**fields)


def _escape(match: re.Match[str]) -> str:
    written = match.group()
    if written[1] in "'\"":
        return written[1]
    if written[1] in "abfnrtvxuUN01234567\\\n":
        return str(ast.literal_eval(f'"{written}"'))
    return written


def _without_comments(written: str) -> str:
    """An expression as `=` repeats it."""
    if "#" not in written:
        return written
    return _STRING_OR_COMMENT.sub(lambda match: match[1] or "", written)


def _set_parameters(node: ast.AST, parameters: list[grammar.type_param]) -> None:
    node.type_params = parameters  # type: ignore[attr-defined]
    _know_field(node, "type_params")


def _know_field(node: ast.AST, name: str) -> None:
    """Let `ast.iter_fields` see a field that the class of an older interpreter lacks."""
    if name not in node._fields:
        node._fields = (*node._fields, name)  # type: ignore[misc]


def _spans(node: ast.AST, lines: list[int]) -> bool:
    """One of the sorted lines is within the node's lines."""
    first = getattr(node, "lineno", None)
    if first is None:
        return True
    decorators = getattr(node, "decorator_list", None)
    if decorators:
        first = decorators[0].lineno
    at = bisect_left(lines, first)
    return at < len(lines) and lines[at] <= (getattr(node, "end_lineno", None) or first)

"""Fiscal dates are in the calendars, and nowhere else in the code."""

import ast
import re
from collections.abc import Iterator

from documentation import ROOT

PACKAGE = ROOT / "src" / "carimbo"
FIRST_YEAR = 2020
YEAR = re.compile(r"20[2-9]\d|2[1-9]\d\d")
ISO_DAY = re.compile(r"20[2-9]\d-[01]\d-[0-3]\d(T.*)?")
SIMULATORS_CALENDAR = "simulator/calendar.py"
"""The authorities' own dates, which may disagree with those of `fiscal/tables/calendar.csv`."""
NOT_FISCAL = {
    "api/docs_model.py": "examples for fields of the published contract",
    "service/documents/record.py": "an example of a record in the published contract",
    "service/errors.py": "examples of details in the published contract",
    "service/imports/columns.py": "the example in a template file",
    "service/sales/plan.py": "the first and last day that a sale may have",
    "simulator/signatures.py": "the first day of the certificate of the simulated Sefin",
}
"""Files whose dates are not of any rule, and what they are."""
SHOWN = frozenset({"description", "examples", "help"})
"""Keywords and keys of values that are shown to people and compared with nothing."""


def date_literals(node: ast.AST) -> Iterator[str]:
    """Yields the line and the text of every day or year from 2020 on, but for those only shown to people."""
    if isinstance(node, ast.keyword) and node.arg in SHOWN:
        return
    if isinstance(node, ast.Call | ast.Compare | ast.Constant) and _has_date(node):
        yield f"{node.lineno}: {ast.unparse(node)}"
        return
    children = ast.iter_child_nodes(node)
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        children = iter([value for key, value in pairs if not _is_shown(key)])
    for child in children:
        yield from date_literals(child)


def _has_date(node: ast.Call | ast.Compare | ast.Constant) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in ("date", "datetime"):
            years = [*node.args[:1], *(given.value for given in node.keywords if given.arg == "year")]
            return any(map(_is_year, years))
        case ast.Compare():
            sides = [node.left, *node.comparators]
            has_year = any(isinstance(side, ast.Attribute) and side.attr == "year" for side in sides)
            return has_year and any(map(_is_year, sides))
        case ast.Constant(value=str(text)):
            return ISO_DAY.fullmatch(text) is not None
    return False


def _is_year(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value >= FIRST_YEAR


def _is_shown(key: ast.expr | None) -> bool:
    return isinstance(key, ast.Constant) and key.value in SHOWN


def literals_in(file: str) -> list[str]:
    source = (PACKAGE / file).read_text(encoding="utf-8")
    return list(date_literals(ast.parse(source))) if YEAR.search(source) else []


def test_no_module_but_the_calendars_has_a_fiscal_date() -> None:
    files = {str(file.relative_to(PACKAGE)) for file in PACKAGE.rglob("*.py")}
    dated = {file: literals_in(file) for file in sorted(files - NOT_FISCAL.keys() - {SIMULATORS_CALENDAR})}
    assert {file: literals for file, literals in dated.items() if literals} == {}


def test_only_files_with_dates_are_listed_as_exceptions() -> None:
    assert [file for file in NOT_FISCAL if not literals_in(file)] == []


def test_a_date_in_code_is_reported_once() -> None:
    codes = (
        "SINCE = date(2027, 1, 1)",
        "SINCE = datetime.date(year=2026, month=12, day=1)",
        "SINCE = datetime(2027, 1, 1, tzinfo=UTC)",
        "SINCE = date.fromisoformat('2027-01-01')",
        "applies = issued_at >= '2027-01-01T00:00:00-03:00'",
        "applies = day.year >= 2027",
        "rules = {'since': '2027-01-01'}",
    )
    assert [code for code in codes if len(list(date_literals(ast.parse(code)))) != 1] == []


def test_a_date_that_is_only_shown_is_left_alone() -> None:
    codes = (
        '"""Since 2027-01-01."""',
        "day: date = Field(description='2027-01-01', examples=['2027-01-01'])",
        "schema = {'type': 'string', 'examples': ['2027-01-01']}",
        "message = 'Informe uma data, como 2027-01-01.'",
        "first = date(1900, 1, 1)",
        "day = date(year, month, 1)",
    )
    assert [code for code in codes if list(date_literals(ast.parse(code)))] == []

"""The code keeps its own rules."""

import ast
import re
from pathlib import Path

import pytest
import sizes
import typer

from carimbo.fiscal.registry import DOCUMENT_TYPES
from documentation import ROOT

SOURCES = sorted((ROOT / "src").rglob("*.py"))


class TestSourceTree:
    @pytest.mark.parametrize("file", sizes.python_files(), ids=lambda file: str(file.relative_to(ROOT)))
    def test_files_and_functions_are_short(self, file: Path) -> None:
        assert sizes.file_size(file).lines <= sizes.LONGEST_FILE
        assert [one for one in sizes.function_sizes(file) if one.lines > sizes.LONGEST_FUNCTION] == []

    @pytest.mark.parametrize("file", SOURCES, ids=lambda file: str(file.relative_to(ROOT)))
    def test_modules_say_what_they_are(self, file: Path) -> None:
        assert ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))

    def test_only_the_settings_read_the_environment(self) -> None:
        readers = [
            f"{file.parent.name}/{file.name}"
            for file in SOURCES
            if re.search(r"\benviron\b|getenv", file.read_text("utf-8"))
        ]
        assert readers == ["settings/loading.py"]

    def test_document_types_are_asked_for_by_name_in_no_other_place(self) -> None:
        outside = [file for file in SOURCES if "documents" not in file.parts and file.parent.name != "demo"]
        names = "|".join(kind.name for kind in DOCUMENT_TYPES)
        named = re.compile(rf"==\s*\"({names})\"")
        assert [file.name for file in outside if named.search(file.read_text("utf-8"))] == []


class TestSizes:
    """What `make check` refuses."""

    @pytest.mark.parametrize(
        ("lines", "code"),
        [
            (["def short() -> None:", *["    pass"] * 59], 0),
            (["def long() -> None:", *["    pass"] * 60], 1),
            (["class A:", "    async def long() -> None:", *["        pass"] * 60], 1),
            (["A = 1"] * 500, 0),
            (["A = 1"] * 501, 1),
        ],
        ids=["short function", "long function", "long method", "short file", "long file"],
    )
    def test_are_refused_from_a_limit_on(self, tmp_path: Path, lines: list[str], code: int) -> None:
        (tmp_path / "scripts").mkdir()
        (tmp_path / "scripts" / "one.py").write_text("".join(f"{line}\n" for line in lines))
        with pytest.raises(typer.Exit) as ended:
            sizes.main(tmp_path)
        assert ended.value.exit_code == code

"""What benchmarks print beside their figures, and how figures get into the documentation."""

import re
from pathlib import Path

import pytest

import record
import report
import statements
from documentation import ROOT
from statements import SqlUse

LOG = b"""\
carimbo_api LOG:  duration: 0.041 ms  statement: BEGIN;
carimbo_api LOG:  duration: 0.310 ms  parse __asyncpg_stmt_1__: insert into documents values ($1)
\treturning 'carimbo_worker LOG:  duration: 1 ms  execute x: select'
carimbo_api LOG:  duration: 0.020 ms  bind __asyncpg_stmt_1__: insert into documents values ($1)
carimbo_api LOG:  duration: 0.150 ms  execute __asyncpg_stmt_1__: insert into documents values ($1)
carimbo_worker LOG:  duration: 0.050 ms  bind __asyncpg_stmt_7__: select 1
carimbo_worker LOG:  duration: 0.050 ms  execute __asyncpg_stmt_7__: select 1
carimbo_api LOG:  duration: 0.900 ms  statement: COMMIT;
 LOG:  duration: 0.900 ms  statement: select the_benchmark_itself
 LOG:  checkpoint complete
"""
PAGE = """\
Before.

<!-- figures: accept -->
```
old
```

<!-- figures: growth -->
```
older
```

After: `old`.
"""


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program in place of git: it prints the content of a file that is named after its third argument."""
    program = tmp_path / "git"
    program.write_text(f"#!/bin/sh\nexec cat {tmp_path}/$3\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    return tmp_path


class TestCommit:
    def test_commit_of_a_clean_checkout_is_its_hash(self, git: Path) -> None:
        (git / "rev-parse").write_text("ca2825e5\n")
        (git / "status").touch()
        assert report.commit() == "ca2825e5"

    def test_commit_of_a_changed_checkout_has_a_plus_sign(self, git: Path) -> None:
        (git / "rev-parse").write_text("ca2825e5\n")
        (git / "status").write_text(" M src/carimbo/cli.py\n")
        assert report.commit() == "ca2825e5+"

    def test_commit_is_unknown_outside_git(self, git: Path) -> None:
        assert report.commit() == "unknown"

    def test_first_line_names_commit_and_processor(self, capsys: pytest.CaptureFixture[str]) -> None:
        report.tell_origin()
        line = r"taken on commit ([0-9a-f]{8}\+?|unknown), \S.*, \d+ cores\n"
        assert re.fullmatch(line, capsys.readouterr().out)


class TestStatements:
    def test_log_is_counted_by_program(self) -> None:
        assert statements.read_log(LOG) == {"api": SqlUse(3, 4), "worker": SqlUse(1, 1)}

    def test_line_has_the_statements_of_one_document(self) -> None:
        line = statements.sql_line("document", {"api": SqlUse(30, 31), "worker": SqlUse(5, 5)}, 10)
        assert line == (
            "  SQL for a document: api 3.00 statements in 3.10 round trips,"
            " worker 0.50 statements in 0.50 round trips"
        )


class TestRecord:
    def test_figures_replace_those_of_their_benchmark_alone(self, tmp_path: Path) -> None:
        page, benchmark = tmp_path / "page.md", tmp_path / "accept.py"
        page.write_text(PAGE)
        benchmark.write_text(r"print('  1 \\1\n  ```2')")
        assert record.main([str(benchmark)], page) == 0
        assert page.read_text() == PAGE.replace("old\n```", "  1 \\1\n  ```2\n```", 1)

    def test_figures_of_a_failed_benchmark_are_not_written(self, tmp_path: Path) -> None:
        page, benchmark = tmp_path / "page.md", tmp_path / "accept.py"
        page.write_text(PAGE)
        benchmark.write_text("print('half'); raise SystemExit(3)")
        assert record.main([str(benchmark)], page) == 3
        assert page.read_text() == PAGE

    def test_every_benchmark_of_make_bench_has_a_block(self) -> None:
        makefile, page = (ROOT / "Makefile").read_text(), record.PAGE.read_text()
        names = set(re.findall(r"^\t\$\(BENCHMARK\)(\w+)\.py", makefile, re.MULTILINE))
        with_block = {name for name in names if record.block_pattern(name).search(page)}
        assert with_block == names
        assert set(re.findall(r"<!-- figures: (\w+) -->", page)) == with_block

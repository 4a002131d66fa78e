"""The hand-made mutants fit the source and the tests of today, so that `scripts/mutants.py` can run them."""

from collections import Counter
from pathlib import Path

import pytest
from mutants import ROOT, Mutant, PytestRun, mutated, read_mutants

MIN_MUTANTS = 30
MUTANTS = read_mutants()


def exists(test: str) -> bool:
    """Tells whether the repository has a file or folder of tests, and the class within the file."""
    path, _, name = test.partition("::")
    file = ROOT / path
    return file.exists() and (not name or f"class {name}:" in file.read_text(encoding="utf-8"))


def test_there_are_at_least_thirty_mutants() -> None:
    assert len(MUTANTS) >= MIN_MUTANTS


def test_every_name_is_unique() -> None:
    counts = Counter(mutant.name for mutant in MUTANTS)
    assert [name for name, count in counts.items() if count > 1] == []


def test_every_replaced_text_occurs_once_in_its_file() -> None:
    counts = {
        mutant.name: mutant.path_in(ROOT).read_text(encoding="utf-8").count(mutant.old) for mutant in MUTANTS
    }
    assert {name: count for name, count in counts.items() if count != 1} == {}


def test_every_mutant_changes_its_file() -> None:
    assert [mutant.name for mutant in MUTANTS if mutant.old == mutant.new] == []


def test_every_mutant_names_tests_that_exist() -> None:
    missing = {mutant.name: [test for test in mutant.tests if not exists(test)] for mutant in MUTANTS}
    assert {name: tests for name, tests in missing.items() if tests} == {}
    assert [mutant.name for mutant in MUTANTS if not mutant.tests] == []


def test_no_mutant_needs_toys_and_real_types_in_one_session() -> None:
    mixed = {mutant.name for mutant in MUTANTS if len({"tests/toy" in test for test in mutant.tests}) > 1}
    assert mixed == set()


class TestMutated:
    @pytest.fixture
    def copy(self, tmp_path: Path) -> Path:
        file = tmp_path / "src" / "carimbo" / "sum.py"
        file.parent.mkdir(parents=True)
        file.write_text("total = one + two\n", encoding="utf-8")
        return tmp_path

    def test_mutant_changes_the_file_and_restores_it(self, copy: Path) -> None:
        mutant = Mutant("a sum is a difference", "sum.py", "+", "-", ())
        with mutated(copy, mutant):
            assert mutant.path_in(copy).read_text(encoding="utf-8") == "total = one - two\n"
        assert mutant.path_in(copy).read_text(encoding="utf-8") == "total = one + two\n"

    @pytest.mark.parametrize("old", ["t", "three"])
    def test_mutant_whose_text_does_not_occur_exactly_once_is_refused(self, copy: Path, old: str) -> None:
        with pytest.raises(ValueError, match="not once"), mutated(copy, Mutant("", "sum.py", old, "", ())):
            pass


@pytest.mark.parametrize("line", ["FAILED tests/a.py::test_b - assert 1 == 2", "ERROR tests/a.py::test_b"])
def test_the_first_failure_is_named_by_its_test(line: str) -> None:
    output = f"F\n{line}\nFAILED tests/a.py::test_c - no\n"
    assert PytestRun(1, output, 0.5).first_failure == "tests/a.py::test_b"

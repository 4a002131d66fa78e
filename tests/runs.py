"""How tests are distributed over processes, and how their time is reported."""

from collections import Counter, defaultdict
from operator import itemgetter
from pathlib import PurePosixPath

import pytest
from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

# They share the published contract.
_DOCUMENTED_API = ("tests/unit/api/", "tests/unit/test_documentation.py")
# They share a browser, which needs 400 MB.
_BROWSER = "tests/browser/"


class Shares(LoadFileScheduling):  # type: ignore[misc]
    """Keeps the tests of a file, or of one folder, in one process: they share what is slow to build."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        if file.startswith(_BROWSER):
            return _BROWSER
        return _DOCUMENTED_API[0] if file.startswith(_DOCUMENTED_API) else file


class FolderTimes:
    """Adds up the seconds of all tests by folder; where several processes share them, by all processes."""

    def __init__(self) -> None:
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._cases: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Adds a phase of a test: its setup, call or teardown."""
        folder = str(PurePosixPath(report.nodeid.partition("::")[0]).parent)
        self._seconds[folder] += report.duration
        self._cases[folder] += report.when == "call"

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Prints the folders, the slowest first."""
        whole = sum(self._seconds.values())
        if len(self._seconds) < 2:
            return
        terminalreporter.section("share of each folder")
        for folder, seconds in sorted(self._seconds.items(), key=itemgetter(1), reverse=True):
            line = f"{seconds / whole:6.1%} {seconds:8.1f} s {self._cases[folder]:6} tests  {folder}"
            terminalreporter.write_line(line)

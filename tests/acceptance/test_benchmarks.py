"""Every benchmark, run as a user runs it but with small numbers, ends well and prints what its page shows."""

import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pytest

import record
from acceptance.loaded_command import loaded_carimbo
from documentation import ROOT
from support import TIMEOUT_SECONDS

# Becomes a benchmark; it starts carimbo with the program in its first argument instead of Python.
WITH_LOADED_PARTS = (
    "import multiprocessing.spawn, runpy, sys; _, sys.executable, *sys.argv = sys.argv;"
    "runpy.run_path(sys.argv[0], run_name='__main__')"
)


@dataclass(frozen=True, slots=True)
class ShortRun:
    """The options of a short run, and how often lines of a form are printed."""

    options: str
    lines: Mapping[str, int]
    has_loaded_parts: bool = False
    """Whether carimbo's programs start at once; their CPU is then not known."""


RUNS = {
    "core": ShortRun(
        "--seconds 0.001",
        {
            r"^NF-e, items: (1|50); (Simples Nacional|normal regime with IBS/CBS); different requests: #$": 4,
            r"^  (RSA alone|carimbo|taxes, rules|from request) +# ms +# a second  ratio #": 16,
            r"^    (compose|rules|write|sign|enclose|parse|XSD|SOAP|free) +# ms": 36,
            r"^  PyNFe .* ratio #$": 2,
            r"^  carimbo makes # documents while PyNFe makes one$": 2,
        },
    ),
    "waybills": ShortRun(
        "--seconds 0.001",
        {
            r"^CT-e(, one NF-e| OS, a charter); regime (simples|normal); different requests: #$": 4,
            r"^CT-e, one NF-e, (air|water|rail|pipeline|multimodal); regime normal; different .*: #$": 5,
            r"^MDF-e, three NF-e; regime normal; different requests: #$": 1,
            r"^  (RSA alone|from request) +# ms +# a second  ratio #": 20,
        },
    ),
    "judging": ShortRun(
        "--documents 2",
        {r"^NF-e, items: .* judged +# ms, +# signatures  answered +# ms, +# signatures(  bar 3.0)?$": 4},
    ),
    "pdf": ShortRun(
        "--seconds 0",
        {
            r"^(DANFE|NFC-e|DANFSe).* # ms   brazilfiscalreport +# ms +# times, bar 15$": 10,
            r"^DACTE(, | OS, ).* # ms$": 3,
            r"^DAMDFE, .* # ms$": 2,
        },
    ),
    "pipeline": ShortRun(
        "--documents 4",
        {
            r"^  authorized +# a second  ratio #, bar 0.50$": 1,
            r"^  (in the burst|at \d+ a second|alone) +p50 +# ms  p99 +# ms$": 3,
            r"^    (simulator|api|worker|postgres|client|all) +# ms, +# signatures": 6,
            r"^  API, worker without its signature, and PostgreSQL: # ms, bar 9, # signatures$": 1,
            r"^  SQL for a document: api # statements in # round trips, worker # statements in # round": 1,
        },
    ),
    "accept": ShortRun(
        "--posts 5",
        {
            r"^  accepted +# a second  p50 +# ms  p99 +# ms  ratio #, bar 0.35$": 1,
            r"^  CPU: accepted api # ms, postgres # ms; bare postgres # ms$": 1,
            r"^  SQL for a POST: api # statements in # round trips$": 1,
        },
        has_loaded_parts=True,
    ),
    "webhooks": ShortRun(
        "--deliveries 8 --documents 2",
        {
            r"^  delivered +# a second  ratio #  CPU ms a call: worker #, postgres #, receiver #$": 1,
            r"^  SQL for a call: worker # statements in # round trips$": 1,
            r"^  (alone|beside 4 that hang) +p50 +# ms, bar 100  p99 +# ms$": 2,
            r"^  ratio of the middles #$": 1,
        },
        has_loaded_parts=True,
    ),
    "lookups": ShortRun(
        "--searches 2",
        {
            r"^  \S+ +in process  p50 +# ms  p99 +# ms, bar 10  first # ms, rows #$": 9,
            r"^  \S+ +HTTP +p50 +# ms  p99 +# ms, bar 10$": 9,
            r"^  all tables +(in process|HTTP) +CPU for a search +# ms$": 2,
        },
        has_loaded_parts=True,
    ),
    "growth": ShortRun(
        "--documents 30 --few 10 --calls 2",
        {
            r"^(10|30) documents stored in \d+ seconds$": 2,
            r"^  (list.*|read|replay|issue) +# ms +# ms  ratio #(, bar 1.2)?$": 8,
        },
        has_loaded_parts=True,
    ),
    "inbox": ShortRun(
        "--documents 30 --few 10 --calls 2",
        {
            r"^(10|30) received documents stored in \d+ seconds$": 2,
            r"^  (list.*|search,.*|changes) +# ms +# ms  ratio #, bar 1.5$": 15,
            r"^  (search and .*) +# ms +# ms  ratio #$": 2,
        },
        has_loaded_parts=True,
    ),
    "dashboard": ShortRun(
        "--documents 30 --few 10 --calls 2",
        {
            r"^(10|30) documents stored in \d+ seconds$": 2,
            r"^problems: (\d+) and \1$": 1,
            r"^  (attention|figures) +# ms +# ms  ratio #$": 2,
            r"^  (both|page) +# ms +# ms  ratio #, bar 1.5$": 2,
        },
    ),
    "soak": ShortRun(
        "--documents 4 --between 1 1",
        {r"^faults: [a-zA-Z]+ \w+ \d": 1, r"^4 of 4 authorized, \d+ messages sent, contradictions: 0$": 1},
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_benchmark_ends_well_and_prints_what_its_page_shows(name: str) -> None:
    run, folder = RUNS[name], ROOT / "benchmarks"
    starting = ["-c", WITH_LOADED_PARTS, str(loaded_carimbo())] if run.has_loaded_parts else []
    ended = subprocess.run(
        [sys.executable, *starting, str(folder / f"{name}.py"), *run.options.split()],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=5 * TIMEOUT_SECONDS,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.startswith("taken on commit ")
    counts = {line: len(re.findall(_with_numbers(line), ended.stdout, re.MULTILINE)) for line in run.lines}
    assert counts == run.lines, ended.stdout
    shown = record.block_pattern(name).search(record.PAGE.read_text(encoding="utf-8"))
    if shown:
        assert _forms(shown[2].splitlines()[1:]) - _forms(ended.stdout.splitlines()) == set()


def _with_numbers(line: str) -> str:
    return line.replace("#", r"[\d.]+")


def _forms(lines: Iterable[str]) -> set[str]:
    """Returns lines without their numbers and the width of their columns."""
    return {re.sub(r"[\d.,]*\d", "#", " ".join(line.split())) for line in lines}

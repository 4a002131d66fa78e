"""The benchmarks measure real documents and searches, and need no other library; speed is not asserted."""

import re
import sys
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest

import core
import invoices
import judging
import lookups
import pdf
from carimbo.fiscal.identity.signature import BadSignature
from carimbo.fiscal.parties.company import TaxRegime
from carimbo.service.catalog.code_lookups import CFOP_LOOKUP
from carimbo.service.listing import PageRequest
from invoices import prepared_requests, sales_of
from verification import Refused, verify_all

FEW, MANY = 20, invoices.MAX_REQUESTS


@pytest.fixture(scope="module", autouse=True)
def few_requests() -> Iterator[None]:
    """Prepares few requests: how many there are changes no line that is printed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(invoices, "MIN_REQUESTS", FEW)
        patch.setattr(invoices, "MAX_REQUESTS", FEW)
        prepared_requests.cache_clear()
        yield
    prepared_requests.cache_clear()


@pytest.fixture(scope="module")
def messages() -> list[bytes]:
    return [core.make(sale) for sale in islice(sales_of(prepared_requests(1), TaxRegime.NORMAL), 3)]


class TestCore:
    def test_core_benchmark_runs_without_pynfe(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "pynfe", None)
        core.main(["--seconds", "0.001"])
        printed = capsys.readouterr().out
        assert printed.count("PyNFe") == 1
        assert "PyNFe is not installed (pip install 'carimbo[bench]'): carimbo runs alone.\n" in printed
        assert re.findall(r"carimbo .* ratio [\d.]+, bar ([\d.]+)", printed) == ["0.80", "0.40"]

    def test_core_benchmark_prints_the_memory(self, capsys: pytest.CaptureFixture[str]) -> None:
        core.main(["--memory", "--documents", "20"])
        lines = capsys.readouterr().out.splitlines()[2:]
        assert [int(line.split()[0]) for line in lines] == list(range(0, 21, 2))
        assert all(float(line.split()[1]) > 0 for line in lines)


class TestJudging:
    def test_judging_benchmark_stops_at_a_refused_document(
        self, messages: list[bytes], tmp_path: Path
    ) -> None:
        sale = next(sales_of(prepared_requests(1), TaxRegime.NORMAL))
        bad = messages[0].replace(b"<xNome>Loja", b"<xNome>Casa")
        with closing(judging.LocalSimulator(tmp_path)) as simulator, pytest.raises(RuntimeError, match="297"):
            simulator.judge(sale, bad)


class TestPdf:
    def test_pdf_benchmark_runs_without_brazilfiscalreport(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "brazilfiscalreport", None)
        pdf.main(["--seconds", "0"])
        printed = capsys.readouterr().out
        assert printed.count("brazilfiscalreport") == 1
        assert "brazilfiscalreport is not installed: pip install 'carimbo[bench]'\n" in printed
        drawn = re.findall(r"^(\w+).* +[\d.]+ ms$", printed, re.MULTILINE)
        assert {"DANFE", "NFC", "DANFSe"} < set(drawn)


class TestRequests:
    def test_prepared_requests_are_all_different(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(invoices, "MAX_REQUESTS", MANY)
        requests = prepared_requests.__wrapped__(1)
        assert len(requests) == MANY
        assert len({request.model_dump_json() for request in requests}) == len(requests)
        amounts = {request.items[0].quantity * request.items[0].price for request in requests}
        assert len(amounts) > 0.9 * len(requests)

    def test_prepared_documents_have_the_taxes_of_the_reform(self, messages: list[bytes]) -> None:
        assert all(b"<IBSCBS>" in message for message in messages)


class TestStages:
    def test_stages_make_the_same_document_as_the_service(self) -> None:
        sale = next(sales_of(prepared_requests(1), TaxRegime.NORMAL))
        assert core.Stages().run(sale) == core.make(sale) == core.build(sale, core.composed(sale))


class TestVerification:
    def test_verification_accepts_documents_of_the_benchmark(self, messages: list[bytes]) -> None:
        verify_all(messages)

    def test_verification_refuses_a_document_changed_after_signing(self, messages: list[bytes]) -> None:
        with pytest.raises(BadSignature):
            verify_all([messages[0].replace(b"<xNome>Loja", b"<xNome>Casa")])

    def test_verification_refuses_a_document_that_violates_the_schema(self, messages: list[bytes]) -> None:
        with pytest.raises(Refused):
            verify_all([messages[0].replace(b"<mod>55</mod>", b"<mod>99</mod>")])


class TestLookups:
    def test_searches_find_something_and_are_the_same_in_every_run(self) -> None:
        first, second = (list(islice(lookups.searches(CFOP_LOOKUP), 60)) for _ in range(2))
        words = [search for search in first if len(search) > 2]
        assert [search for search in words if not CFOP_LOOKUP.search(search, PageRequest()).total] == []
        assert len(set(first)) > 40
        assert first == second

    def test_searches_are_timed(self, capsys: pytest.CaptureFixture[str]) -> None:
        lookups.measure_in_process(CFOP_LOOKUP, 20)
        printed = capsys.readouterr().out
        assert "cfop            in process  p50" in printed
        assert printed.endswith(f"rows {CFOP_LOOKUP.search('', PageRequest()).total}\n")

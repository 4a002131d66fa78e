"""The benchmarks run, and measure real documents and searches; their speed is not asserted."""

import re
from collections.abc import Iterator
from contextlib import closing, redirect_stdout
from importlib.util import find_spec
from io import StringIO
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
WITH_PYNFE = find_spec("pynfe") is not None


@pytest.fixture(scope="module", autouse=True)
def few_requests() -> Iterator[None]:
    """Prepares few requests: how many there are changes no line that is printed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judging, "_WARMING", 1)
        patch.setattr(invoices, "MIN_REQUESTS", FEW)
        patch.setattr(invoices, "MAX_REQUESTS", FEW)
        yield


@pytest.fixture(scope="module")
def messages() -> list[bytes]:
    return [core.make(sale) for sale in islice(sales_of(prepared_requests(1), TaxRegime.NORMAL), 3)]


@pytest.fixture(scope="module")
def printed() -> str:
    """Returns the output of a short run."""
    with redirect_stdout(StringIO()) as output:
        core.main(["--seconds", "0.001"])
    return output.getvalue()


class TestMain:
    def test_core_benchmark_prints_a_table_for_each_size(self, printed: str) -> None:
        assert re.findall(r"items: (\d+); (\w+) .*; different requests: (\d+)", printed) == [
            ("1", "Simples", str(FEW)),
            ("50", "Simples", str(FEW)),
            ("1", "normal", str(FEW)),
            ("50", "normal", str(FEW)),
        ]
        assert re.findall(r"carimbo .* ratio [\d.]+, bar ([\d.]+)", printed) == ["0.80", "0.40"]
        assert len(re.findall(r"from request .* ratio [\d.]+", printed)) == 4
        for stage in ("compose", "write", "sign", "enclose", "parse", "XSD", "SOAP", "free"):
            assert len(re.findall(rf"^    {stage} +[\d.]+ ms", printed, re.MULTILINE)) == 2 * len(core.SIZES)

    def test_core_benchmark_compares_with_pynfe_or_says_that_it_is_missing(self, printed: str) -> None:
        assert ("documents while PyNFe makes one" in printed) == WITH_PYNFE
        assert ("PyNFe is not installed" in printed) != WITH_PYNFE

    def test_core_benchmark_prints_the_memory(self, capsys: pytest.CaptureFixture[str]) -> None:
        core.main(["--memory", "--documents", "20"])
        lines = capsys.readouterr().out.splitlines()[1:]
        assert [int(line.split()[0]) for line in lines] == list(range(0, 21, 2))
        assert all(float(line.split()[1]) > 0 for line in lines)


class TestJudging:
    def test_judging_benchmark_prints_a_line_for_each_size_and_regime(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        judging.main(["--documents", "2"])
        printed = capsys.readouterr().out
        sizes = re.findall(r"items: +(\d+); (\w+) .* judged +[\d.]+ ms, .* answered +[\d.]+ ms", printed)
        assert sizes == [("1", "Simples"), ("50", "Simples"), ("1", "normal"), ("50", "normal")]

    def test_judging_benchmark_stops_at_a_refused_document(
        self, messages: list[bytes], tmp_path: Path
    ) -> None:
        sale = next(sales_of(prepared_requests(1), TaxRegime.NORMAL))
        bad = messages[0].replace(b"<xNome>Loja", b"<xNome>Casa")
        with closing(judging.LocalSimulator(tmp_path)) as simulator, pytest.raises(RuntimeError, match="297"):
            simulator.judge(sale, bad)


class TestPdf:
    def test_pdf_benchmark_prints_a_line_for_each_document(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        subjects = {subject.type: subject for subject in reversed(list(pdf.subjects()))}
        monkeypatch.setattr(pdf, "subjects", lambda: iter([subjects["nfe"], subjects["nfce"]]))
        pdf.main(["--seconds", "0"])
        line = r"^(DANFE|NFC-e), .* ms   brazilfiscalreport .* times, bar 15$"
        assert re.findall(line, capsys.readouterr().out, re.MULTILINE) == ["DANFE", "NFC-e"]


class TestRequests:
    def test_prepared_requests_are_all_different(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(invoices, "MAX_REQUESTS", MANY)
        requests = prepared_requests(1)
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

"""How fast documents are made, seen against what no program can beat: RSA signing alone.

`python benchmarks/core.py` makes NF-e of 1 and of 50 items, from the typed document to the SOAP text (build,
sign, XSD, SOAP), and prints documents per second of CPU as a ratio to signatures per second of CPU with the
same key; beside it the same with taxes, totals and rules, from the request on, and under the normal regime.
With `--memory` it makes 100,000 documents and prints how much memory the process has meanwhile.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from importlib.util import find_spec
from itertools import islice
from typing import Any, TypeVar

import psutil  # type: ignore[import-untyped]
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA1
from lxml import etree

from carimbo.fiscal.documents.nfe.document import compose
from carimbo.fiscal.documents.nfe.xml import issue
from carimbo.fiscal.goods.request import compose_items
from carimbo.fiscal.goods.rules.judging import judge_document
from carimbo.fiscal.goods.rules.rule import RuleInput
from carimbo.fiscal.goods.totals import totals_of
from carimbo.fiscal.layouts.nfe_v4.dialect import NFE_DIALECT
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice, check, enclose, write
from carimbo.fiscal.layouts.sefaz.messages import reception
from carimbo.fiscal.layouts.soap import envelope
from carimbo.fiscal.parties.company import TaxRegime
from carimbo.fiscal.problems import Findings
from carimbo.fiscal.schemas import Schema
from carimbo.fiscal.taxes.trade import TaxDay, Trade
from invoices import Sale, prepared_requests, sales_of
from report import tell, tell_origin
from verification import SHOWN_TO_XMLSEC1, verify_all

T = TypeVar("T")

MEMORY_STEPS = 10
_WSDL = "http://www.portalfiscal.inf.br/nfe/wsdl/NFeAutorizacao4"
_AS_LONG_AS_SIGNED_INFO = b"x" * 750


@dataclass(frozen=True, slots=True)
class Size:
    """A size of document, and the project's own bars for it."""

    items: int
    least_ratio: float
    """From the typed document on."""
    least_with_taxes: float
    """With the taxes of the items, the totals and the rules."""
    least_from_request: float
    """From the request on, in the normal regime; the other bars are for the Simples Nacional."""


SIZES = (Size(1, 0.80, 0.75, 0.70), Size(50, 0.40, 0.35, 0.30))


@dataclass(slots=True)
class Runner:
    """One way to spend CPU on a sale, how much it has spent, and the SOAP texts that came of it."""

    run: Callable[..., bytes | None]
    prepare: Callable[[Any], tuple[object, ...]] = field(default=lambda sale: (sale,))
    """What the way begins with, made before the time counts."""
    seconds: float = 0.0
    runs: int = 0
    messages: list[bytes] = field(default_factory=list)

    @property
    def milliseconds(self) -> float:
        """CPU time of one run."""
        return 1_000 * self.seconds / self.runs

    def run_once(self, sale: Any) -> None:
        """Run and take the time, which is the processor's and not the clock's."""
        beginning = self.prepare(sale)
        start = time.process_time()
        message = self.run(*beginning)
        self.seconds += time.process_time() - start
        self.runs += 1
        if message is not None:
            self.messages.append(message)


class Stages:
    """The work of `documents.nfe.xml.issue` step by step, with the time that each step takes."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = 0.0

    def run(self, sale: Sale) -> bytes:
        """Make one document, looking at the time after each step."""
        issuance, self._last = sale.issuance, time.process_time()
        composed = compose(sale.request, issuance.company, issuance.emission, issuance.software)
        return self._finish(sale, self._ended("compose", composed.problems or composed.document))

    def _finish(self, sale: Sale, invoice: Invoice) -> bytes:
        issuance = sale.issuance
        case = RuleInput(invoice, sale.request, issuance.company, issuance.now)
        self._ended("rules", judge_document(case).problems or case)
        written = self._ended("write", write(invoice))
        signature = self._ended("sign", issuance.signer.sign(written.canonical, written.id))
        document = self._ended("enclose", enclose(written, signature))
        root = self._ended("parse", etree.fromstring(document.xml))
        self._ended("XSD", issuance.schemas.problems(Schema.NFE, root, Invoice) or None)
        return self._ended("SOAP", soap_text(sale, document.xml))

    def _ended(self, stage: str, result: T | tuple[object, ...]) -> T:
        now = time.process_time()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._last
        self._last = time.process_time()
        return without_problems(result)


def without_problems(result: T | tuple[object, ...]) -> T:
    """The result, where a tuple would be the problems that kept it from being made."""
    if isinstance(result, tuple):
        raise RuntimeError(f"a sale of the benchmark has problems: {result}")
    return result


def soap_text(sale: Sale, document: bytes) -> bytes:
    """What goes to the authority."""
    message = reception(NFE_DIALECT, sale.issuance.emission.number, document)
    return envelope(_WSDL, message, "nfeDadosMsg")


def make(sale: Sale) -> bytes:
    """Make one document from its request, as the service does."""
    return soap_text(sale, without_problems(issue(sale.request, sale.issuance)).xml)


def composed(sale: Sale) -> Invoice:
    """The typed document of a sale."""
    issuance = sale.issuance
    composition = compose(sale.request, issuance.company, issuance.emission, issuance.software)
    return without_problems(composition.problems or composition.document)


def build(sale: Sale, invoice: Invoice) -> bytes:
    """Make one document that is typed already: text, signature, XSD, SOAP text."""
    issuance = sale.issuance
    written = without_problems(write(invoice))
    document = enclose(written, issuance.signer.sign(written.canonical, written.id))
    without_problems(check(document, issuance.schemas) or document)
    return soap_text(sale, document.xml)


def tax_and_build(sale: Sale, invoice: Invoice) -> bytes:
    """The same with the items taxed and added up anew, and the rules."""
    issuance = sale.issuance
    items = compose_items(sale.request, circumstances(sale), invoice.items[0].product.cfop, Findings())
    taxed = replace(invoice, items=items, totals=totals_of(items, None))
    without_problems(
        judge_document(RuleInput(taxed, sale.request, issuance.company, issuance.now)).problems or taxed
    )
    return build(sale, taxed)


def circumstances(sale: Sale) -> Trade:
    """Every sale of the benchmark is made within the state."""
    company, is_contributor = sale.issuance.company, bool(sale.request.recipient.state_registration)
    tax_day = TaxDay.of(sale.issuance.emission.issued_at.date(), "nfe")
    return Trade(
        company=company,
        destination_state=company.address.state,
        is_interstate=False,
        is_abroad=False,
        is_sale=True,
        buyer_is_contributor=is_contributor,
        buyer_is_final=not is_contributor,
        issue_day=tax_day,
        tax_day=tax_day,
    )


def sign_only(sale: Any) -> None:
    """Do what every program has to do for a document, and nothing else."""
    sale.issuance.signer.private_key.sign(_AS_LONG_AS_SIGNED_INFO, PKCS1v15(), SHA1())


def runner_of_pynfe() -> Runner | None:
    """PyNFe beside ours, when the extra `bench` is installed."""
    if find_spec("pynfe") is None:
        return None
    from pynfe_baseline import PyNfe  # noqa: PLC0415 - it needs packages that only the extra brings

    return Runner(PyNfe().make)


def race(runners: Sequence[Runner], sales: Iterator[Sale], seconds: float) -> None:
    """Give every runner that much CPU, in turns: whatever slows the machine down slows down all of them."""
    while (least := min(runners, key=lambda runner: runner.seconds)).seconds < seconds:
        least.run_once(next(sales))
    for runner in runners:
        verify_all(runner.messages)


def measure(size: Size, regime: TaxRegime, seconds: float) -> None:
    """Race on documents of one size, and print its table."""
    stages = Stages()
    rsa, whole, in_stages = Runner(sign_only), Runner(make), Runner(stages.run)
    ours, taxed = (Runner(run, lambda sale: (sale, composed(sale))) for run in (build, tax_and_build))
    # PyNFe knows no IBS and CBS: it races where the documents are the same.
    is_simple = regime is TaxRegime.SIMPLES
    pynfe = runner_of_pynfe() if is_simple else None
    runners = [rsa, ours, taxed, whole, in_stages, *([pynfe] if pynfe else [])]
    requests = prepared_requests(size.items)
    sales = sales_of(requests, regime)
    for runner in runners:
        runner.run(*runner.prepare(next(sales)))
    stages.seconds.clear()
    race(runners, sales, seconds)
    taxes = "Simples Nacional" if is_simple else "normal regime with IBS/CBS"
    tell(f"NF-e, items: {size.items}; {taxes}; different requests: {len(requests)}")
    tell(row("RSA alone", rsa, rsa))
    tell(row("carimbo", ours, rsa) + (f", bar {size.least_ratio:.2f}" if is_simple else ""))
    tell(f"  beyond RSA    {ours.milliseconds - rsa.milliseconds:9.3f} ms")
    tell(row("taxes, rules", taxed, rsa) + (f", bar {size.least_with_taxes:.2f}" if is_simple else ""))
    tell(row("from request", whole, rsa) + ("" if is_simple else f", bar {size.least_from_request:.2f}"))
    tell_stages(stages, in_stages, rsa)
    if pynfe:
        tell(row(f"PyNFe {version('pynfe')}", pynfe, rsa))
        tell(f"  carimbo makes {pynfe.milliseconds / whole.milliseconds:.1f} documents while PyNFe makes one")
    made_in_all = sum(len(runner.messages) for runner in runners)
    tell(f"  verified: {made_in_all} by XSD and signature, up to {SHOWN_TO_XMLSEC1} of each by xmlsec1 too\n")


def tell_stages(stages: Stages, runner: Runner, rsa: Runner) -> None:
    """Print where the time goes; what no stage has is spent after the last one, on letting go of it all."""
    spent = stages.seconds | {"free": runner.seconds - sum(stages.seconds.values())}
    for stage, seconds in spent.items():
        of_which = f", of which RSA {rsa.milliseconds:.3f}" if stage == "sign" else ""
        tell(f"    {stage:12}{1_000 * seconds / runner.runs:9.3f} ms{of_which}")


def row(name: str, runner: Runner, rsa: Runner) -> str:
    """Return the line of a way: its time, and its ratio to RSA."""
    a_second, ratio = 1_000 / runner.milliseconds, rsa.milliseconds / runner.milliseconds
    return f"  {name:12}  {runner.milliseconds:9.3f} ms {a_second:8.1f} a second  ratio {ratio:.3f}"


def watch_memory(documents: int) -> None:
    """Make documents of one item and print the memory that the process has, which must not grow."""
    regime, process = TaxRegime.NORMAL, psutil.Process()
    sales = sales_of(prepared_requests(1), regime)
    tell("documents   MiB")
    for step in range(MEMORY_STEPS + 1):
        tell(f"{step * documents // MEMORY_STEPS:9} {process.memory_info().rss / 2**20:6.1f}")
        for sale in islice(sales, documents // MEMORY_STEPS if step < MEMORY_STEPS else 0):
            make(sale)


def main(arguments: Sequence[str]) -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10, help="CPU for each way, for each size")
    parser.add_argument("--memory", action="store_true", help="watch the memory instead of the time")
    parser.add_argument("--documents", type=int, default=100_000, help="how many while the memory is watched")
    options = parser.parse_args(arguments)
    tell_origin()
    if options.memory:
        watch_memory(options.documents)
        return
    if find_spec("pynfe") is None:
        tell("PyNFe is not installed (pip install 'carimbo[bench]'): carimbo runs alone.\n")
    for regime in (TaxRegime.SIMPLES, TaxRegime.NORMAL):
        for size in SIZES:
            measure(size, regime, options.seconds)


if __name__ == "__main__":
    main(sys.argv[1:])

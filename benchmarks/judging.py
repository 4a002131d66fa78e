"""The simulator's CPU time for a document, without TLS; every test pays it.

`python benchmarks/judging.py` shows NF-e of 1 and of 50 items to the simulator and prints CPU milliseconds a
document, and the ratio to one RSA signature with the same key in the same run. `judged` is the verdict: the
envelope opened, XSD, certificates, signature and rules. `answered` is the whole request, with what is written
to the store and to the journal, and the reply.
"""

import argparse
import asyncio
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from copy import deepcopy
from itertools import islice
from pathlib import Path

from cryptography import x509

from carimbo.fiscal.parties.company import TaxRegime
from carimbo.simulator.controls import Controls
from carimbo.simulator.family import RequestContext, ServicePath
from carimbo.simulator.http import Reply, Request
from carimbo.simulator.nfe.authorization import DOCUMENTS
from carimbo.simulator.nfe.dialect import DIALECT
from carimbo.simulator.nfe.family import SERVICES
from carimbo.simulator.nfe.judged import JudgedInvoice
from carimbo.simulator.nfe.rules.message import MESSAGE_RULES
from carimbo.simulator.program.site import Site
from carimbo.simulator.rules import first_broken
from carimbo.simulator.sefaz.call import ServiceCall
from carimbo.simulator.sefaz.soap import open_request
from carimbo.simulator.store import Store
from carimbo.simulator.trust import JudgedCertificate, TrustedAuthorities, judged_certificate
from core import make, sign_only
from invoices import Sale, certificate, prepared_requests, sales_of
from report import tell, tell_origin

_PATH = "/producao/sp/nfe/NFeAutorizacao4"
_HEADERS = {"content-type": "application/soap+xml; charset=utf-8", "host": "localhost"}
_CODE = re.compile(rb"<infProt>.*<cStat>([0-9]+)</cStat>")
_WARMING = 20
"""Documents at most that fill the caches before the time counts."""

BARS = {1: "bar 3.0", 50: ""}
"""The project's own, in milliseconds, by items."""

Messages = Sequence[tuple[Sale, bytes]]


class LocalSimulator:
    """A simulator without its ports, whose clock is that of the documents."""

    def __init__(self, folder: Path) -> None:
        owner = certificate()
        self._trust = TrustedAuthorities(
            tuple(JudgedCertificate.of(x509.load_der_x509_certificate(der)) for der in owner.chain)
        )
        self._sender = owner.certificate_der
        self._now = owner.not_before
        self._store = Store.open(folder / "simulator.sqlite")
        self._site = Site(self._store, lambda: self._trust, lambda: self._now)

    def judge(self, sale: Sale, message: bytes) -> None:
        """Come to the verdict on one document, which must be good."""
        service, service_path = SERVICES.by_name["nfeautorizacao4"], ServicePath.of(_PATH)
        assert service_path  # noqa: S101 - the path is ours
        context = RequestContext(sale.issuance.now, self._store, self._trust, Controls())
        opened = open_request(message, service.wrapping)
        call = ServiceCall(
            dialect=DIALECT,
            root=opened.root,
            text=opened.text,
            schema=service.schema,
            sender=judged_certificate(self._sender),
            service_path=service_path,
            context=context,
        )
        case = JudgedInvoice(deepcopy(opened.root[-1]), service_path, context)
        if broken := first_broken(MESSAGE_RULES, call) or DOCUMENTS.refusal_of(case):
            raise RuntimeError(f"the simulator refuses a document of the benchmark: {broken}")

    async def answer(self, sale: Sale, message: bytes) -> None:
        """Have one document authorized, from the request to the reply."""
        self._now = sale.issuance.now
        reply = await self._site.answer(Request("POST", _PATH, "", _HEADERS, message, self._sender))
        code = isinstance(reply, Reply) and _CODE.search(reply.body)
        if not code or code[1] != b"100":
            raise RuntimeError(f"the simulator did not authorize: {reply}")

    def close(self) -> None:
        """Let the file go."""
        self._store.close()


async def measure(items: int, regime: TaxRegime, documents: int) -> tuple[float, float, float]:
    """CPU milliseconds of a verdict, of a whole request and of a signature.

    Documents are made before: the simulator is a process of its own, which does nothing else.
    """
    warming = min(_WARMING, documents)
    sales = islice(sales_of(prepared_requests(items), regime), warming + documents)
    messages = [(sale, make(sale)) for sale in sales]
    with (
        tempfile.TemporaryDirectory(prefix="carimbo-") as folder,
        closing(LocalSimulator(Path(folder))) as simulator,
    ):
        for sale, message in messages[:warming]:
            simulator.judge(sale, message)
            await simulator.answer(sale, message)
        counted = messages[warming:]
        return _judging(simulator, counted), await _answering(simulator, counted), _signing(counted)


def _judging(simulator: LocalSimulator, messages: Messages) -> float:
    start = time.process_time()
    for sale, message in messages:
        simulator.judge(sale, message)
    return _milliseconds(start, messages)


async def _answering(simulator: LocalSimulator, messages: Messages) -> float:
    start = time.process_time()
    for sale, message in messages:
        await simulator.answer(sale, message)
    return _milliseconds(start, messages)


def _signing(messages: Messages) -> float:
    start = time.process_time()
    for sale, _ in messages:
        sign_only(sale)
    return _milliseconds(start, messages)


def _milliseconds(start: float, messages: Messages) -> float:
    return 1_000 * (time.process_time() - start) / len(messages)


def main(arguments: list[str]) -> None:
    """Print a line for each size and regime."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=300, help="how many of each")
    documents: int = parser.parse_args(arguments).documents
    tell_origin()
    for regime, name in ((TaxRegime.SIMPLES, "Simples Nacional"), (TaxRegime.NORMAL, "normal regime")):
        for items, bar in BARS.items():
            judged, answered, signed = asyncio.run(measure(items, regime, documents))
            what = f"NF-e, items: {items:2}; {name:16}"
            first = f"judged {judged:6.2f} ms, {judged / signed:5.2f} signatures"
            second = f"answered {answered:6.2f} ms, {answered / signed:5.2f} signatures"
            tell(f"{what}  {first}  {second}  {bar}".rstrip())


if __name__ == "__main__":
    main(sys.argv[1:])

"""What one document costs the simulator, besides TLS: it is in the way of every test.

`python benchmarks/judging.py` sends NF-e of 1 and of 50 items through the simulator's site, from the HTTP
request to the reply: SOAP, XSD, certificates, signature, rules, the store and the journal. It prints CPU
milliseconds a document, and the ratio to one RSA signature with the same key in the same run.
"""

import argparse
import asyncio
import re
import sys
import tempfile
import time
from contextlib import closing
from itertools import islice
from pathlib import Path

from cryptography import x509

from carimbo.fiscal.company import TaxRegime
from carimbo.fiscal.company_file import certificate_of
from carimbo.simulator.http import Reply, Request
from carimbo.simulator.site import Site
from carimbo.simulator.store import Store
from carimbo.simulator.trust import Trust
from core import make, sign_only
from invoices import EXAMPLES, Sale, company, prepared_requests, sales_of

_PATH = "/producao/sp/nfe/NFeAutorizacao4"
_HEADERS = {"content-type": "application/soap+xml; charset=utf-8", "host": "localhost"}
_CODE = re.compile(rb"<infProt>.*<cStat>([0-9]+)</cStat>")
_WARMING = 20
"""Documents that fill the caches before the time counts."""

BARS = {1: "bar 3.0 ms", 50: "no bar"}
"""The project's own, by items."""


class Office:
    """A simulator without its ports, whose clock is that of the documents."""

    def __init__(self, folder: Path) -> None:
        owner = certificate_of(company(TaxRegime.SIMPLES), EXAMPLES)
        trust = Trust(tuple(map(x509.load_der_x509_certificate, owner.chain)))
        self._sender = owner.certificate_der
        self._now = owner.not_before
        self._store = Store.open(folder / "simulator.sqlite")
        self._site = Site(self._store, lambda: trust, lambda: self._now)

    async def judge(self, sale: Sale, message: bytes) -> float:
        """Have one document authorised, and tell the seconds of CPU that it took."""
        self._now = sale.issuance.now
        start = time.process_time()
        reply = await self._site.answer(Request("POST", _PATH, "", _HEADERS, message, self._sender))
        spent = time.process_time() - start
        found = isinstance(reply, Reply) and _CODE.search(reply.body)
        if not found or found[1] != b"100":
            raise RuntimeError(f"the simulator did not authorise: {reply}")
        return spent

    def close(self) -> None:
        """Let the file go."""
        self._store.close()


async def measure(items: int, regime: TaxRegime, documents: int) -> tuple[float, float]:
    """CPU milliseconds of a judgement and of a signature.

    Documents are made before: the simulator is a process of its own, which does nothing else.
    """
    sales = islice(sales_of(prepared_requests(items), regime), _WARMING + documents)
    made = [(sale, make(sale)) for sale in sales]
    with tempfile.TemporaryDirectory(prefix="carimbo-") as folder, closing(Office(Path(folder))) as office:
        judging = [await office.judge(sale, message) for sale, message in made][_WARMING:]
    start = time.process_time()
    for sale, _ in made:
        sign_only(sale)
    signing = time.process_time() - start
    return 1_000 * sum(judging) / len(judging), 1_000 * signing / len(made)


def main(arguments: list[str]) -> None:
    """Print a line for each size and regime."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=300, help="how many of each")
    documents: int = parser.parse_args(arguments).documents
    for regime, name in ((TaxRegime.SIMPLES, "Simples Nacional"), (TaxRegime.NORMAL, "normal regime")):
        for items, bar in BARS.items():
            judging, signing = asyncio.run(measure(items, regime, documents))
            what, cost = f"NF-e, items: {items:2}; {name:16}", f"{judging:6.2f} ms, {bar:10}"
            sys.stdout.write(f"{what}  {cost}  RSA signatures: {judging / signing:.2f}\n")


if __name__ == "__main__":
    main(sys.argv[1:])

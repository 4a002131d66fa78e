"""How fast CT-e, CT-e OS and MDF-e are made, as a ratio to RSA signing alone.

`python benchmarks/waybills.py` makes documents from the request to the SOAP text (taxes, rules, XML,
signature, both XSDs, gzip), and prints documents per second of CPU as a ratio to signatures per second of
CPU.
"""

import argparse
import gzip
import random
import re
import sys
from base64 import b64decode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from itertools import count, cycle
from typing import Any

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.documents.cte.definition import CTE
from carimbo.fiscal.documents.cteos.definition import CTE_OS
from carimbo.fiscal.documents.mdfe.definition import MDFE
from carimbo.fiscal.emission import Emission
from carimbo.fiscal.identity.access_key import AccessKey, choose_numeric_code
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.issuance import Issuance, Software
from carimbo.fiscal.layouts.cte_v4.dialect import CTE_DIALECT
from carimbo.fiscal.layouts.cteos_v4.dialect import CTE_OS_DIALECT
from carimbo.fiscal.layouts.mdfe_v3.dialect import MDFE_DIALECT
from carimbo.fiscal.layouts.sefaz.dialect import Dialect
from carimbo.fiscal.layouts.sefaz.messages import reception
from carimbo.fiscal.layouts.soap import envelope
from carimbo.fiscal.parties.company import TaxRegime
from carimbo.fiscal.schemas import Schemas
from core import Runner, row, sign_only, without_problems
from invoices import FIRST_SALE, certificate, company, recipient
from report import tell, tell_origin
from verification import SHOWN_TO_XMLSEC1, verify_documents

LEAST_RATIO = 0.70
"""The project's own bar, in the normal regime."""
_REQUESTS = 2_000
_MESSAGE = re.compile(rb"<(?:cte|mdfe)DadosMsg[^>]*>([^<]+)<")


@dataclass(frozen=True, slots=True)
class Kind:
    """A document type, with requests for it by chance."""

    title: str
    type: DocumentType
    dialect: Dialect
    service: str
    body: Callable[[random.Random], dict[str, Any]]
    settings: dict[str, Any]
    signed: str = "infCte"
    """The element that is signed."""


@dataclass(frozen=True, slots=True)
class Freight:
    """One document to be issued: a validated request and what it is issued under."""

    kind: Kind
    request: Any
    issuance: Issuance


def nfe_key(chance: random.Random, tax_id: str) -> AccessKey:
    """The key of an NF-e, by chance."""
    return AccessKey.of_issue(
        FIRST_SALE,
        state_code="35",
        tax_id=tax_id,
        model="55",
        series=1,
        number=chance.randrange(1, 999_999_999),
        emission_type="1",
        numeric_code=f"{chance.randrange(100_000_000):08d}",
    )


def road_freight(chance: random.Random) -> dict[str, Any]:
    """A request for a road freight with one NF-e, by chance."""
    shipper = recipient(chance)
    key = nfe_key(chance, shipper["taxId"])
    return {
        "municipalityStartIbge": "3550308",
        "municipalityEndIbge": chance.choice(("3509502", "3304557", "3106200", "4106902")),
        "shipper": shipper,
        "recipient": recipient(chance),
        "cargo": {
            "amount": Decimal(chance.randrange(10_000, 9_999_999)) / 100,
            "predominantProduct": "Utensílios de cozinha",
            "quantities": [{"unit": "KG", "quantity": Decimal(chance.randrange(1_000, 999_999)) / 100}],
        },
        "documents": {"nfes": [{"accessKey": key}]},
        "serviceAmount": Decimal(chance.randrange(5_000, 999_999)) / 100,
        "icms": {"cst": "00", "rate": 12},
    }


def charter(chance: random.Random) -> dict[str, Any]:
    """A request for a charter between states, by chance."""
    return {
        "serviceType": "passengers",
        "serviceDescription": "Fretamento contínuo",
        "serviceQuantity": chance.randrange(10, 60),
        "municipalityStartIbge": "3550308",
        "municipalityEndIbge": chance.choice(("3304557", "3106200", "4106902")),
        "takerParty": recipient(chance),
        "taf": "123456789012",
        "vehicle": {"plate": "ABC1D23", "renavam": "00123456789", "state": "SP"},
        "charter": {"type": "continuous"},
        "serviceAmount": Decimal(chance.randrange(50_000, 999_999)) / 100,
        "icms": {"cst": "00", "rate": 12},
        "federalTaxes": {"inss": 0},
    }


def manifest(chance: random.Random) -> dict[str, Any]:
    """A request for a trip with three own NF-e on an own truck, by chance."""
    return {
        "municipalityStartIbge": "3550308",
        "modal": {
            "vehicle": {
                "plate": f"ABC{chance.randrange(10)}D{chance.randrange(100):02}",
                "state": "SP",
                "tareKg": 6800,
                "wheelType": "toco",
                "bodyType": "closed",
            }
        },
        "drivers": [{"name": "João Batista Pereira", "taxId": "52998224725"}],
        "documents": [
            {
                "cityCode": chance.choice(("3304557", "3106200", "4106902")),
                "nfeAccessKeys": [nfe_key(chance, "11222333000181") for _ in range(3)],
            }
        ],
        "cargoTotalAmount": Decimal(chance.randrange(10_000, 9_999_999)) / 100,
        "cargoQuantity": Decimal(chance.randrange(1_000, 999_999)) / 100,
    }


FREIGHT = Kind(
    "CT-e, one NF-e",
    CTE,
    CTE_DIALECT,
    "CTeRecepcaoSincV4",
    road_freight,
    {"active": True, "rntrc": "12345678"},
)
CHARTER = Kind("CT-e OS, a charter", CTE_OS, CTE_OS_DIALECT, "CTeRecepcaoOSV4", charter, {})
MANIFEST = Kind("MDF-e, three NF-e", MDFE, MDFE_DIALECT, "MDFeRecepcaoSinc", manifest, {}, "infMDFe")
_MODES: dict[str, dict[str, Any]] = {
    "air": {
        "expectedDeliveryDate": FIRST_SALE.date().isoformat(),
        "dimensions": "120X80X60",
        "tariff": {"class": "general", "amount": 12.5},
    },
    "water": {
        "afrmmBase": 1000,
        "afrmmAmount": 80,
        "vesselName": "ALIANCA",
        "direction": "north",
        "irin": "PPABC1",
    },
    "rail": {"traffic": "own", "flow": "SPO-RIO"},
    "pipeline": {"startDate": "2026-11-01", "endDate": "2026-11-30", "ductClass": "1"},
    "multimodal": {"cotm": "12345678", "negotiable": False},
}


def by_mode(name: str) -> Kind:
    """The same freight by another mode."""
    modal = {"kind": name, **_MODES[name]}
    return replace(
        FREIGHT,
        title=f"CT-e, one NF-e, {name}",
        body=lambda chance: {**road_freight(chance), "modal": modal},
    )


def freights(kind: Kind, regime: TaxRegime) -> Iterator[Freight]:
    """Freights without end: requests come back in turn, each time with the next number and a later moment."""
    chance, carrier = random.Random(0), company(regime)
    requests = [kind.type.issuing.request.model_validate(kind.body(chance)) for _ in range(_REQUESTS)]
    signer, schemas = Signer.of(certificate()), Schemas()
    software, settings = Software("carimbo"), kind.type.settings.model_validate(kind.settings)
    for number, request in zip(count(1), cycle(requests), strict=False):
        code = choose_numeric_code(number, lambda: chance.randrange(100_000_000))
        moment = FIRST_SALE + timedelta(seconds=number)
        emission = Emission(carrier.environment, settings.series, number, code, moment)
        yield Freight(kind, request, Issuance(carrier, emission, software, settings, signer, schemas, moment))


def make(freight: Freight) -> bytes:
    """Make one document from its request, as the service does."""
    kind = freight.kind
    document = without_problems(kind.type.issuing.issue(freight.request, freight.issuance)).xml
    message = reception(kind.dialect, freight.issuance.emission.number, document)
    dialect = kind.dialect
    return envelope(f"{dialect.namespace}/wsdl/{kind.service}", message, f"{dialect.stem.lower()}DadosMsg")


def document_in(message: bytes) -> bytes:
    """The document in a SOAP text."""
    zipped = _MESSAGE.search(message)
    if zipped is None:
        raise RuntimeError("a SOAP text of the benchmark has no document")
    return gzip.decompress(b64decode(zipped[1]))


def measure(kind: Kind, regime: TaxRegime, seconds: float) -> None:
    """Give both ways that much CPU, in turns, and print the table."""
    rsa, ours, sales = Runner(sign_only), Runner(make), freights(kind, regime)
    for runner in (rsa, ours):
        runner.run(next(sales))
    while (least := min((rsa, ours), key=lambda runner: runner.seconds)).seconds < seconds:
        least.run_once(next(sales))
    documents = [document_in(message) for message in ours.messages]
    verify_documents(documents, kind.type.issuing.schema, kind.signed)
    tell(f"{kind.title}; regime {regime}; different requests: {_REQUESTS}")
    tell(row("RSA alone", rsa, rsa))
    tell(row("from request", ours, rsa) + f", bar {LEAST_RATIO:.2f}")
    tell(f"  verified: {len(ours.messages)} by XSD and signature, {SHOWN_TO_XMLSEC1} by xmlsec1 too\n")


def main(arguments: Sequence[str]) -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10, help="CPU for each way")
    options = parser.parse_args(arguments)
    tell_origin()
    for kind in (FREIGHT, CHARTER):
        for regime in (TaxRegime.SIMPLES, TaxRegime.NORMAL):
            measure(kind, regime, options.seconds)
    for kind in (*map(by_mode, _MODES), MANIFEST):
        measure(kind, TaxRegime.NORMAL, options.seconds)


if __name__ == "__main__":
    main(sys.argv[1:])

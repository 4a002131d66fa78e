"""A supplier of the sample company: its NF-e go straight to the simulator, and are distributed from there."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from carimbo.authorities.connection_pool import ConnectionPools
from carimbo.authorities.endpoints import SimulatorEndpoints
from carimbo.authorities.nfe import NfeSefaz
from carimbo.authorities.pacing import Pacing
from carimbo.authorities.request import AuthorityTimeouts
from carimbo.authorities.tls import TrustStore
from carimbo.authorities.transport import HttpsTransport
from carimbo.demo.seed import COMPANY, LEGAL_NAME, PFX_PASSWORD, STATE_REGISTRATION, TAX_ID
from carimbo.fiscal.emission import Emission, local_moment
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.access_key import choose_numeric_code
from carimbo.fiscal.identity.certificate import A1Certificate, AuthorityCredentials, open_a1
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.issuance import Issuance, Software
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.schemas import Schemas
from carimbo.fiscal.signed_documents import SignedDocument
from carimbo.service.document_types import document_type_named
from carimbo.simulator.program.certificates import CertificateFolder

_SUPPLIER: Mapping[str, Any] = {
    "taxId": "66677788000183",
    "legalName": "Atacado Central Ltda",
    "address": {
        "zipcode": "06010067", "street": "Rua Antônio Agu", "number": "300",
        "district": "Centro", "city": "Osasco", "state": "SP",
    },
    "taxRegime": "simples",
    "stateRegistrations": [{"state": "SP", "number": "111222330112"}],
}  # fmt: skip
_BUYER: Mapping[str, Any] = {
    "taxId": TAX_ID,
    "name": LEGAL_NAME,
    "stateRegistration": STATE_REGISTRATION,
    "address": COMPANY["address"],
}
_FIRST_NUMBER = 4711
_PURCHASES: Sequence[Sequence[Mapping[str, Any]]] = (
    (
        {"description": "Caneca de cerâmica", "ncm": "69120000", "quantity": 60, "unitValue": 14.5},
        {"description": "Caneca esmaltada", "ncm": "73239400", "quantity": 40, "unitValue": 6.25},
    ),
    ({"description": "Luminária de mesa", "ncm": "94052100", "quantity": 12, "unitValue": 41.9},),
    ({"description": "Camiseta de algodão", "ncm": "61091000", "quantity": 50, "unitValue": 22.4},),
)


def _draw() -> int:
    return secrets.randbelow(100_000_000)


def supplier_documents(certificate: A1Certificate, now: datetime) -> list[SignedDocument]:
    """Returns the signed NF-e of what the sample company bought. Their numbers are always the same.

    NF-e that the rules of that day refuse are left out: the demo's clock may be at any moment.
    """
    company, nfe = Company.model_validate(_SUPPLIER), document_type_named("nfe")
    signer, schemas = Signer.of(certificate), Schemas()
    documents = []
    for number, items in enumerate(_PURCHASES, _FIRST_NUMBER):
        request = nfe.issuing.request.model_validate(
            {"recipient": _BUYER, "items": items, "paymentMethod": "boleto"}
        )
        emission = Emission(
            Environment.PRODUCTION, 1, number, choose_numeric_code(number, _draw), local_moment(now, "SP")
        )
        issued = nfe.issuing.issue(
            request, Issuance(company, emission, Software("atacado"), nfe.settings(), signer, schemas, now)
        )
        if isinstance(issued, SignedDocument):
            documents.append(issued)
    return documents


async def send_supplier_documents(
    simulator_url: str, certificates: CertificateFolder, ca_file: Path, now: datetime
) -> None:
    """Has the simulator authorize the supplier's NF-e; those that it has already are refused."""
    tax_id, name = _SUPPLIER["taxId"], _SUPPLIER["legalName"].upper()
    certificate = open_a1(certificates.issue(tax_id, name, now).to_pfx(PFX_PASSWORD), PFX_PASSWORD)
    sender = AuthorityCredentials(certificate, tax_id, Environment.PRODUCTION)
    documents = supplier_documents(certificate, now)
    with TrustStore(ca_file) as trust:
        async with ConnectionPools(trust, AuthorityTimeouts()) as connections:
            exchange = HttpsTransport(connections).exchange
            sefaz = NfeSefaz(exchange, SimulatorEndpoints(simulator_url), Pacing())
            for document in documents:
                await sefaz.send(sender, document)

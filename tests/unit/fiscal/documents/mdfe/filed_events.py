"""Events of good manifests, from the body to the signed XML."""

from datetime import datetime
from typing import Any

from lxml import etree

from carimbo.fiscal.documents.mdfe.request import MdfeRequest
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.filing import EventKind, EventSubject, FilingIssuer, FilingResult
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.issuance import Software
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.signed_documents import SignedFiling
from support import CNPJ
from unit.fiscal.documents.cte.bodies import CARRIER, ISSUED_AT
from unit.fiscal.documents.mdfe.bodies import GOOD, mdfe_key
from unit.fiscal.goods.support import SCHEMAS
from unit.fiscal.rules.breaking import changed

PROTOCOL = "935260000000123"
NOW = datetime.fromisoformat("2026-11-26T10:00:00-03:00")


def issuer_of(signer: Signer, tax_id: str = CNPJ) -> FilingIssuer:
    """Returns the carrier as the author of events."""
    company = Company.model_validate(CARRIER | {"taxId": tax_id})
    return FilingIssuer(company, Environment.HOMOLOGATION, Software("carimbo"), signer, SCHEMAS)


def subject(good: str, changes: dict[str, Any] | None = None, **parts: Any) -> EventSubject:
    """Returns a good manifest, with changes of its request, as the subject of an event."""
    usual: dict[str, Any] = {
        "access_key": mdfe_key(),
        "protocol": PROTOCOL,
        "occurred_at": NOW,
        "sequence": 1,
        "issued_at": ISSUED_AT,
        "read_request": lambda: MdfeRequest.model_validate(changed(GOOD[good], changes or {})),
    }
    return EventSubject(**usual | parts)


def filed(event: EventKind, body: dict[str, Any], about: EventSubject, signer: Signer) -> FilingResult:
    """Returns the signed event of a body, or its problems."""
    return event.issue(event.request.model_validate(body), about, issuer_of(signer))


def event_of(result: FilingResult) -> etree._Element:
    """Returns the root of an event, which must have no problems."""
    assert isinstance(result, SignedFiling), result
    return etree.fromstring(result.xml)


def detail_of(result: FilingResult) -> list[tuple[str, str]]:
    """Returns tag and text of all fields of an event's detail, in their order."""
    (detail,) = event_of(result).iterfind(".//{*}detEvento")
    fields = [element for element in detail.iter("{*}*") if not len(element)]
    return [(etree.QName(field).localname, field.text or "") for field in fields]


def places(result: FilingResult) -> list[tuple[str, str]]:
    """Returns code and path of every problem of an event that is refused."""
    assert isinstance(result, tuple), "nothing was refused"
    return [(problem.code, problem.path) for problem in result]

"""The disagreement of a taker with a service, and its withdrawal."""

from datetime import datetime

import pytest
from lxml import etree

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.filing import EventSubject, FilingIssuer, FilingResult, UndoRequest
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.issuance import Software
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.signed_documents import SignedFiling
from carimbo.fiscal.transport.disagreement import DisagreementRequest, disagree, withdraw_disagreement
from unit.fiscal.documents.cte.bodies import CARRIER, cte_key
from unit.fiscal.goods.support import SCHEMAS


@pytest.fixture(scope="module")
def taker(signer: Signer) -> FilingIssuer:
    company = Company.model_validate(CARRIER)
    return FilingIssuer(company, Environment.HOMOLOGATION, Software("carimbo"), signer, SCHEMAS)


def about(model: str, undone: str = "") -> EventSubject:
    return EventSubject(
        access_key=cte_key(model=model),
        protocol="135260000000001",
        occurred_at=datetime.fromisoformat("2026-11-26T10:00:00-03:00"),
        sequence=1,
        undone_protocol=undone,
    )


def texts(result: FilingResult, *tags: str) -> list[str | None]:
    """Returns the texts of elements of a signed event."""
    assert isinstance(result, SignedFiling), result
    event = etree.fromstring(result.xml)
    return [event.findtext(f".//{{*}}{tag}") for tag in tags]


def test_disagreement_has_its_justification(taker: FilingIssuer) -> None:
    body = DisagreementRequest(justification="Valor do frete diferente do combinado")
    signed = disagree(body, about("57"), taker)
    assert texts(signed, "tpEvento", "indDesacordoOper", "xObs") == ["610110", "1", body.justification]


def test_withdrawal_names_the_protocol_of_the_disagreement(taker: FilingIssuer) -> None:
    signed = withdraw_disagreement(UndoRequest(), about("67", "135260000000002"), taker)
    assert texts(signed, "tpEvento", "nProtEvPrestDes") == ["610111", "135260000000002"]

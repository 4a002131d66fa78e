"""What the issuer of an NFS-e tells of it, from the body to the signed XML."""

from datetime import datetime
from typing import Any

import pytest
from lxml import etree
from pydantic import ValidationError

from carimbo.fiscal.documents.nfse.definition import NFSE
from carimbo.fiscal.documents.nfse.events import NOTE_CANCELLATION, NoteCancellationRequest
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.filing import AboutDocument, CancellationDeadline, Filed, Teller
from carimbo.fiscal.schemas import Schema
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.signed_filing import SignedFiling
from carimbo.fiscal.software import Software
from unit.fiscal.documents.nfse_support import KEY, SIMPLES
from unit.fiscal.goods.support import SCHEMAS, misformed, refused
from xmlsec1 import xmlsec1_accepts

REASON = "Serviço cancelado pelo cliente"
ABOUT = AboutDocument(
    access_key=KEY,
    protocol="",
    occurred_at=datetime.fromisoformat("2026-11-14T12:00:00-03:00"),
    sequence=1,
)


@pytest.fixture(scope="module")
def teller(signer: Signer) -> Teller:
    return Teller(
        SIMPLES, Environment.HOMOLOGATION, Software("carimbo de nome bem comprido"), signer, SCHEMAS
    )


def filed(teller: Teller, **body: Any) -> Filed:
    return NOTE_CANCELLATION.issue(NoteCancellationRequest.model_validate(body), ABOUT, teller)


def told(teller: Teller, **body: Any) -> etree._Element:
    """A cancellation as it is signed."""
    made = filed(teller, **body)
    assert isinstance(made, SignedFiling), made
    assert xmlsec1_accepts(made.xml, "infPedReg")
    return etree.fromstring(made.xml)


def text(event: etree._Element, tag: str) -> str | None:
    return event.findtext(f".//{{*}}{tag}")


def wrong(**body: Any) -> dict[str, str]:
    with pytest.raises(ValidationError) as caught:
        NoteCancellationRequest.model_validate(body)
    return misformed(caught.value)


class TestEventsOfAnNfse:
    def test_are_cancellations(self) -> None:
        assert [event.name for event in NFSE.events] == ["cancellation"]

    def test_are_told_once_and_say_what_to_do_when_it_is_late(self) -> None:
        assert NOTE_CANCELLATION.repetition is None
        assert isinstance(NOTE_CANCELLATION.deadline, CancellationDeadline)
        assert NOTE_CANCELLATION.deadline.late_codes == frozenset({"E0822"})
        assert "replaces" in NOTE_CANCELLATION.deadline.alternative


class TestCancellation:
    def test_says_which_note_is_taken_back_and_why(self, teller: Teller) -> None:
        event = told(teller, justification=REASON, reasonCode="2")
        assert SCHEMAS.problems(Schema.NFSE_EVENT, event) == ()
        assert event[0].get("Id") == f"PRE{KEY}101101"
        said = [text(event, tag) for tag in ("tpAmb", "CNPJAutor", "chNFSe", "cMotivo", "xMotivo", "xDesc")]
        assert said == ["2", SIMPLES.tax_id, KEY, "2", REASON, "Cancelamento de NFS-e"]
        assert text(event, "dhEvento") == "2026-11-14T12:00:00-03:00"

    def test_has_a_reason_when_nobody_gives_one(self, teller: Teller) -> None:
        event = told(teller)
        assert (text(event, "cMotivo"), text(event, "xMotivo")) == (
            "9",
            "Cancelamento solicitado pelo emitente",
        )

    def test_names_the_software_as_far_as_there_is_room(self, teller: Teller) -> None:
        assert text(told(teller), "verAplic") == "carimbo de nome bem"

    @pytest.mark.parametrize("code", ["1", "2", "9"])
    def test_has_one_of_three_reasons(self, teller: Teller, code: str) -> None:
        assert text(told(teller, reasonCode=code), "cMotivo") == code

    @pytest.mark.parametrize("code", ["0", "3", "01", True, 3])
    def test_has_no_other_reason(self, code: Any) -> None:
        assert set(wrong(reasonCode=code)) == {"reasonCode"}

    @pytest.mark.parametrize("reason", ["curta demais", "x" * 256])
    def test_has_a_justification_of_15_to_255_letters(self, reason: str) -> None:
        assert set(wrong(justification=reason)) == {"justification"}

    def test_has_no_other_field(self) -> None:
        assert wrong(replacedByAccessKey=KEY) == {"replacedByAccessKey": "Campo desconhecido."}

    def test_with_letters_that_no_document_has_is_told_by_its_field(self, teller: Teller) -> None:
        made = filed(teller, justification="Pedido cancelado 😀 pelo cliente")
        assert set(refused(made)) == {"justification"}

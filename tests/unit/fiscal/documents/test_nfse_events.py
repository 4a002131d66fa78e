"""Events that the issuer of an NFS-e files, from the body to the signed XML."""

from datetime import datetime
from typing import Any

import pytest
from lxml import etree
from pydantic import ValidationError

from carimbo.fiscal.documents.nfse.definition import NFSE
from carimbo.fiscal.documents.nfse.events import NOTE_CANCELLATION, NoteCancellationRequest
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.filing import CancellationDeadline, EventSubject, FilingIssuer, FilingResult
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.issuance import Software
from carimbo.fiscal.schemas import Schema
from carimbo.fiscal.signed_documents import SignedFiling
from unit.fiscal.documents.nfse_support import KEY, SIMPLES
from unit.fiscal.goods.support import SCHEMAS, misformed, refused
from xmlsec1 import xmlsec1_accepts

REASON = "Serviço cancelado pelo cliente"
ABOUT = EventSubject(
    access_key=KEY,
    protocol="",
    occurred_at=datetime.fromisoformat("2026-11-14T12:00:00-03:00"),
    sequence=1,
)


@pytest.fixture(scope="module")
def issuer(signer: Signer) -> FilingIssuer:
    return FilingIssuer(
        SIMPLES, Environment.HOMOLOGATION, Software("carimbo de nome bem comprido"), signer, SCHEMAS
    )


def filed(issuer: FilingIssuer, **body: Any) -> FilingResult:
    return NOTE_CANCELLATION.issue(NoteCancellationRequest.model_validate(body), ABOUT, issuer)


def signed_event(issuer: FilingIssuer, **body: Any) -> etree._Element:
    """Returns a cancellation as it is signed."""
    filing = filed(issuer, **body)
    assert isinstance(filing, SignedFiling), filing
    assert xmlsec1_accepts(filing.xml, "infPedReg")
    return etree.fromstring(filing.xml)


def text(event: etree._Element, tag: str) -> str | None:
    return event.findtext(f".//{{*}}{tag}")


def errors_in(**body: Any) -> dict[str, str]:
    with pytest.raises(ValidationError) as caught:
        NoteCancellationRequest.model_validate(body)
    return misformed(caught.value)


class TestEventsOfAnNfse:
    def test_only_event_is_the_cancellation(self) -> None:
        assert [event.name for event in NFSE.events] == ["cancellation"]

    def test_cancellation_is_filed_once_and_a_late_one_has_an_alternative(self) -> None:
        assert NOTE_CANCELLATION.repetition is None
        assert isinstance(NOTE_CANCELLATION.deadline, CancellationDeadline)
        assert NOTE_CANCELLATION.deadline.late_codes == frozenset({"E0822"})
        assert "replaces" in NOTE_CANCELLATION.deadline.alternative


class TestCancellation:
    def test_cancellation_names_the_note_and_the_reason(self, issuer: FilingIssuer) -> None:
        event = signed_event(issuer, justification=REASON, reasonCode="2")
        assert SCHEMAS.problems(Schema.NFSE_EVENT, event) == ()
        assert event[0].get("Id") == f"PRE{KEY}101101"
        texts = [text(event, tag) for tag in ("tpAmb", "CNPJAutor", "chNFSe", "cMotivo", "xMotivo", "xDesc")]
        assert texts == ["2", SIMPLES.tax_id, KEY, "2", REASON, "Cancelamento de NFS-e"]
        assert text(event, "dhEvento") == "2026-11-14T12:00:00-03:00"

    def test_cancellation_has_a_default_reason(self, issuer: FilingIssuer) -> None:
        event = signed_event(issuer)
        assert (text(event, "cMotivo"), text(event, "xMotivo")) == (
            "9",
            "Cancelamento solicitado pelo emitente",
        )

    def test_software_name_is_cut_to_the_room_for_it(self, issuer: FilingIssuer) -> None:
        assert text(signed_event(issuer), "verAplic") == "carimbo de nome bem"

    @pytest.mark.parametrize("code", ["1", "2", "9"])
    def test_cancellation_accepts_each_of_three_reasons(self, issuer: FilingIssuer, code: str) -> None:
        assert text(signed_event(issuer, reasonCode=code), "cMotivo") == code

    @pytest.mark.parametrize("code", ["0", "3", "01", True, 3])
    def test_other_reason_codes_are_refused(self, code: Any) -> None:
        assert set(errors_in(reasonCode=code)) == {"reasonCode"}

    @pytest.mark.parametrize("reason", ["curta demais", "x" * 256])
    def test_justification_must_have_15_to_255_characters(self, reason: str) -> None:
        assert set(errors_in(justification=reason)) == {"justification"}

    def test_unknown_field_is_refused(self) -> None:
        assert errors_in(replacedByAccessKey=KEY) == {"replacedByAccessKey": "Campo desconhecido."}

    def test_characters_that_no_document_allows_are_refused_by_their_field(
        self, issuer: FilingIssuer
    ) -> None:
        filing = filed(issuer, justification="Pedido cancelado 😀 pelo cliente")
        assert set(refused(filing)) == {"justification"}

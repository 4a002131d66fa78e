"""Events that the issuer of an NF-e or NFC-e registers, from the body to the signed XML."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from lxml import etree
from pydantic import ValidationError

from carimbo.fiscal.documents.nfce.definition import NFCE
from carimbo.fiscal.documents.nfe.definition import NFE
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.filing import CancellationDeadline, EventKind, EventSubject, FilingIssuer, FilingResult
from carimbo.fiscal.goods.events import CORRECTION, INVOICE_CANCELLATION, RECEIPT_CANCELLATION
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.schemas import Schema
from carimbo.fiscal.signed_documents import SignedFiling
from unit.fiscal.goods.support import RIO_DE_JANEIRO, SCHEMAS, SOFTWARE, company, misformed, refused
from xmlsec1 import xmlsec1_accepts

KEY = "35261111222333000181550010000000011123456806"
RECEIPT_KEY = "35261111222333000181650010000000109123456897"
LETTER = "O endereço de entrega é Rua das Flores, 10"
REASON = "Pedido cancelado pelo cliente"
NOON = datetime.fromisoformat("2026-11-14T12:00:00-03:00")
ABOUT = EventSubject(
    access_key=KEY,
    protocol="135260000000001",
    occurred_at=NOON,
    sequence=1,
)


@pytest.fixture(scope="module")
def issuer(signer: Signer) -> FilingIssuer:
    return FilingIssuer(company(), Environment.HOMOLOGATION, SOFTWARE, signer, SCHEMAS)


def filed(
    event_kind: EventKind, issuer: FilingIssuer, about: EventSubject = ABOUT, **body: Any
) -> FilingResult:
    return event_kind.issue(event_kind.request.model_validate(body), about, issuer)


def signed_event(
    event_kind: EventKind, issuer: FilingIssuer, about: EventSubject = ABOUT, **body: Any
) -> etree._Element:
    """Returns the signed event."""
    filing = filed(event_kind, issuer, about, **body)
    assert isinstance(filing, SignedFiling), filing
    assert xmlsec1_accepts(filing.xml, "infEvento")
    return etree.fromstring(filing.xml)


def validation_errors(event_kind: EventKind, **body: Any) -> dict[str, str]:
    """Returns the validation errors of a body."""
    with pytest.raises(ValidationError) as caught:
        event_kind.request.model_validate(body)
    return misformed(caught.value)


def text(event: etree._Element, tag: str) -> str | None:
    return event.findtext(f".//{{*}}{tag}")


class TestEventsOfATypeOfDocument:
    def test_invoice_can_be_canceled_and_corrected(self) -> None:
        assert [event.name for event in NFE.events] == ["cancellation", "correction"]

    def test_receipt_can_only_be_canceled(self) -> None:
        """Rule 784: no correction letter of an NFC-e."""
        assert [event.name for event in NFCE.events] == ["cancellation"]

    def test_twenty_correction_letters_are_allowed_within_720_hours(self) -> None:
        assert CORRECTION.repetition
        assert CORRECTION.repetition.max_events == 20
        assert CORRECTION.deadline
        assert CORRECTION.deadline.last_moment(KEY, NOON, None) == NOON + timedelta(days=30)

    @pytest.mark.parametrize("event_kind", [INVOICE_CANCELLATION, RECEIPT_CANCELLATION])
    def test_cancellation_happens_once_and_names_an_alternative_when_it_is_late(
        self, event_kind: EventKind
    ) -> None:
        assert event_kind.repetition is None
        assert isinstance(event_kind.deadline, CancellationDeadline)
        assert event_kind.deadline.late_codes == frozenset({"501", "770"})
        assert "devolução" in event_kind.deadline.alternative


class TestCancellation:
    def test_cancellation_states_the_document_and_the_reason(self, issuer: FilingIssuer) -> None:
        event = signed_event(INVOICE_CANCELLATION, issuer, justification=REASON)
        assert SCHEMAS.problems(Schema.NFE_CANCELLATION, event) == ()
        texts = [text(event, tag) for tag in ("cOrgao", "tpAmb", "CNPJ", "chNFe", "tpEvento", "nSeqEvento")]
        assert texts == ["35", "2", issuer.company.tax_id, KEY, "110111", "1"]
        assert (text(event, "nProt"), text(event, "xJust")) == (ABOUT.protocol, REASON)
        assert text(event, "dhEvento") == "2026-11-14T12:00:00-03:00"

    def test_cancellation_has_a_default_reason(self, issuer: FilingIssuer) -> None:
        event = signed_event(INVOICE_CANCELLATION, issuer)
        assert SCHEMAS.problems(Schema.NFE_CANCELLATION, event) == ()
        assert text(event, "xJust") == "Cancelamento solicitado pelo emitente"

    def test_cancellation_in_production_states_the_environment(self, issuer: FilingIssuer) -> None:
        event = signed_event(INVOICE_CANCELLATION, replace(issuer, environment=Environment.PRODUCTION))
        assert text(event, "tpAmb") == "1"

    def test_cancellation_goes_to_the_state_of_the_document_after_the_company_moved(
        self, issuer: FilingIssuer
    ) -> None:
        moved = company(address=RIO_DE_JANEIRO, stateRegistrations=[{"state": "RJ", "number": "12345678"}])
        assert text(signed_event(INVOICE_CANCELLATION, replace(issuer, company=moved)), "cOrgao") == "35"

    @pytest.mark.parametrize("reason", ["curta demais", "x" * 256])
    def test_cancellation_reason_has_15_to_255_characters(self, reason: str) -> None:
        assert set(validation_errors(INVOICE_CANCELLATION, justification=reason)) == {"justification"}

    def test_cancellation_of_an_invoice_takes_no_replacing_receipt(self) -> None:
        assert set(validation_errors(INVOICE_CANCELLATION, replacedByAccessKey=RECEIPT_KEY)) == {
            "replacedByAccessKey"
        }

    def test_cancellation_with_characters_outside_the_layout_is_refused_at_the_reason(
        self, issuer: FilingIssuer
    ) -> None:
        filing = filed(INVOICE_CANCELLATION, issuer, justification="Pedido cancelado 😀 pelo cliente")
        assert set(refused(filing)) == {"justification"}

    def test_cancellation_of_a_document_without_protocol_is_refused(self, issuer: FilingIssuer) -> None:
        filing = filed(INVOICE_CANCELLATION, issuer, replace(ABOUT, protocol=""))
        assert isinstance(filing, tuple)


class TestCancellationOfAReceipt:
    about = replace(ABOUT, access_key=RECEIPT_KEY)

    def test_receipt_without_a_replacement_is_canceled_as_usual(self, issuer: FilingIssuer) -> None:
        event = signed_event(RECEIPT_CANCELLATION, issuer, self.about)
        assert SCHEMAS.problems(Schema.NFE_CANCELLATION, event) == ()
        assert (text(event, "tpEvento"), text(event, "chNFe")) == ("110111", RECEIPT_KEY)

    @pytest.mark.parametrize(
        "written", [RECEIPT_KEY, " ".join(RECEIPT_KEY[at : at + 4] for at in range(0, 44, 4))]
    )
    def test_receipt_with_a_replacement_is_canceled_by_substitution(
        self, issuer: FilingIssuer, written: str
    ) -> None:
        event = signed_event(RECEIPT_CANCELLATION, issuer, self.about, replacedByAccessKey=written)
        assert (text(event, "tpEvento"), text(event, "chNFeRef")) == ("110112", RECEIPT_KEY)
        assert (text(event, "cOrgaoAutor"), text(event, "verAplic")) == ("35", SOFTWARE.name)
        assert (text(event, "nProt"), text(event, "xJust")) == (
            ABOUT.protocol,
            "Cancelamento solicitado pelo emitente",
        )

    @pytest.mark.parametrize("key", ["1", "x" * 61, RECEIPT_KEY + "-"])
    def test_substitution_by_a_malformed_key_is_refused(self, key: str) -> None:
        assert set(validation_errors(RECEIPT_CANCELLATION, replacedByAccessKey=key)) == {
            "replacedByAccessKey"
        }

    def test_substitution_by_a_key_with_a_wrong_digit_is_refused_at_its_field(
        self, issuer: FilingIssuer
    ) -> None:
        other_digit = RECEIPT_KEY[:-1] + "0"
        filing = filed(RECEIPT_CANCELLATION, issuer, self.about, replacedByAccessKey=other_digit)
        assert set(refused(filing)) == {"replacedByAccessKey"}


class TestCorrection:
    def test_correction_states_the_text(self, issuer: FilingIssuer) -> None:
        event = signed_event(CORRECTION, issuer, replace(ABOUT, sequence=20), correction=f" {LETTER}  ")
        assert SCHEMAS.problems(Schema.NFE_CORRECTION, event) == ()
        assert (text(event, "tpEvento"), text(event, "nSeqEvento")) == ("110110", "20")
        assert text(event, "xCorrecao") == LETTER

    @pytest.mark.parametrize("length", [15, 1000])
    def test_correction_may_be_as_short_and_long_as_the_layout_allows(
        self, issuer: FilingIssuer, length: int
    ) -> None:
        assert text(signed_event(CORRECTION, issuer, correction="x" * length), "xCorrecao") == "x" * length

    @pytest.mark.parametrize("letter", ["x" * 14, "x" * 1001, f"x{' ' * 14}x"])
    def test_correction_has_15_to_1000_characters(self, letter: str) -> None:
        assert set(validation_errors(CORRECTION, correction=letter)) == {"correction"}

    def test_correction_requires_a_text(self) -> None:
        assert validation_errors(CORRECTION) == {"correction": "Campo obrigatório."}

    def test_correction_with_another_sequence_has_another_digest(self, issuer: FilingIssuer) -> None:
        first, second = (
            filed(CORRECTION, issuer, replace(ABOUT, sequence=sequence), correction=LETTER)
            for sequence in (1, 2)
        )
        assert isinstance(first, SignedFiling)
        assert isinstance(second, SignedFiling)
        assert first.digest_value != second.digest_value

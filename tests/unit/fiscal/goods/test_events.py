"""Events that the issuer of an NF-e or NFC-e tells, from the body to the signed XML."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from lxml import etree
from pydantic import ValidationError

from carimbo.fiscal.documents.nfce.definition import NFCE
from carimbo.fiscal.documents.nfe.definition import NFE
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.filing import AboutDocument, CancellationDeadline, EventKind, Filed, Teller
from carimbo.fiscal.goods.events import CORRECTION, INVOICE_CANCELLATION, RECEIPT_CANCELLATION
from carimbo.fiscal.schemas import Schema
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.signed_filing import SignedFiling
from unit.fiscal.goods.support import RIO_DE_JANEIRO, SCHEMAS, SOFTWARE, company, misformed, refused
from xmlsec1 import xmlsec1_accepts

KEY = "35261111222333000181550010000000011123456806"
RECEIPT_KEY = "35261111222333000181650010000000109123456897"
LETTER = "O endereço de entrega é Rua das Flores, 10"
REASON = "Pedido cancelado pelo cliente"
NOON = datetime.fromisoformat("2026-11-14T12:00:00-03:00")
ABOUT = AboutDocument(
    access_key=KEY,
    protocol="135260000000001",
    occurred_at=NOON,
    sequence=1,
)


@pytest.fixture(scope="module")
def teller(signer: Signer) -> Teller:
    return Teller(company(), Environment.HOMOLOGATION, SOFTWARE, signer, SCHEMAS)


def filed(kind: EventKind, teller: Teller, about: AboutDocument = ABOUT, **body: Any) -> Filed:
    return kind.issue(kind.request.model_validate(body), about, teller)


def told(kind: EventKind, teller: Teller, about: AboutDocument = ABOUT, **body: Any) -> etree._Element:
    """An event as it is signed."""
    made = filed(kind, teller, about, **body)
    assert isinstance(made, SignedFiling), made
    assert xmlsec1_accepts(made.xml, "infEvento")
    return etree.fromstring(made.xml)


def wrong(kind: EventKind, **body: Any) -> dict[str, str]:
    """What is wrong with the form of a body."""
    with pytest.raises(ValidationError) as caught:
        kind.request.model_validate(body)
    return misformed(caught.value)


def text(event: etree._Element, tag: str) -> str | None:
    return event.findtext(f".//{{*}}{tag}")


class TestEventsOfATypeOfDocument:
    def test_an_invoice_is_canceled_and_corrected(self) -> None:
        assert [event.name for event in NFE.events] == ["cancellation", "correction"]

    def test_a_receipt_is_canceled_only(self) -> None:
        """Rule 784: no correction letter of an NFC-e."""
        assert [event.name for event in NFCE.events] == ["cancellation"]

    def test_a_letter_may_be_one_of_twenty_within_720_hours(self) -> None:
        assert CORRECTION.repetition
        assert CORRECTION.repetition.most == 20
        assert CORRECTION.deadline
        assert CORRECTION.deadline.last_moment(KEY, NOON, None) == NOON + timedelta(days=30)

    @pytest.mark.parametrize("kind", [INVOICE_CANCELLATION, RECEIPT_CANCELLATION])
    def test_a_cancellation_is_told_once_and_says_what_to_do_when_it_is_late(self, kind: EventKind) -> None:
        assert kind.repetition is None
        assert isinstance(kind.deadline, CancellationDeadline)
        assert kind.deadline.late_codes == frozenset({"501", "770"})
        assert "devolução" in kind.deadline.alternative


class TestCancellation:
    def test_says_which_document_is_taken_back_and_why(self, teller: Teller) -> None:
        event = told(INVOICE_CANCELLATION, teller, justification=REASON)
        assert SCHEMAS.problems(Schema.NFE_CANCELLATION, event) == ()
        said = [text(event, tag) for tag in ("cOrgao", "tpAmb", "CNPJ", "chNFe", "tpEvento", "nSeqEvento")]
        assert said == ["35", "2", teller.company.tax_id, KEY, "110111", "1"]
        assert (text(event, "nProt"), text(event, "xJust")) == (ABOUT.protocol, REASON)
        assert text(event, "dhEvento") == "2026-11-14T12:00:00-03:00"

    def test_has_a_reason_when_nobody_gives_one(self, teller: Teller) -> None:
        event = told(INVOICE_CANCELLATION, teller)
        assert SCHEMAS.problems(Schema.NFE_CANCELLATION, event) == ()
        assert text(event, "xJust") == "Cancelamento solicitado pelo emitente"

    def test_is_of_production_there(self, teller: Teller) -> None:
        event = told(INVOICE_CANCELLATION, replace(teller, environment=Environment.PRODUCTION))
        assert text(event, "tpAmb") == "1"

    def test_goes_to_the_state_of_the_document_wherever_the_company_is_now(self, teller: Teller) -> None:
        moved = company(address=RIO_DE_JANEIRO, stateRegistrations=[{"state": "RJ", "number": "12345678"}])
        assert text(told(INVOICE_CANCELLATION, replace(teller, company=moved)), "cOrgao") == "35"

    @pytest.mark.parametrize("reason", ["curta demais", "x" * 256])
    def test_has_a_reason_of_15_to_255_letters(self, reason: str) -> None:
        assert set(wrong(INVOICE_CANCELLATION, justification=reason)) == {"justification"}

    def test_of_an_invoice_names_no_receipt(self) -> None:
        assert set(wrong(INVOICE_CANCELLATION, replacedByAccessKey=RECEIPT_KEY)) == {"replacedByAccessKey"}

    def test_with_letters_that_no_document_has_is_told_by_its_field(self, teller: Teller) -> None:
        made = filed(INVOICE_CANCELLATION, teller, justification="Pedido cancelado 😀 pelo cliente")
        assert set(refused(made)) == {"justification"}

    def test_of_a_document_without_protocol_is_none(self, teller: Teller) -> None:
        made = filed(INVOICE_CANCELLATION, teller, replace(ABOUT, protocol=""))
        assert isinstance(made, tuple)


class TestCancellationOfAReceipt:
    about = replace(ABOUT, access_key=RECEIPT_KEY)

    def test_is_the_usual_one_where_nothing_takes_its_place(self, teller: Teller) -> None:
        event = told(RECEIPT_CANCELLATION, teller, self.about)
        assert SCHEMAS.problems(Schema.NFE_CANCELLATION, event) == ()
        assert (text(event, "tpEvento"), text(event, "chNFe")) == ("110111", RECEIPT_KEY)

    @pytest.mark.parametrize(
        "written", [RECEIPT_KEY, " ".join(RECEIPT_KEY[at : at + 4] for at in range(0, 44, 4))]
    )
    def test_is_by_substitution_where_another_does(self, teller: Teller, written: str) -> None:
        event = told(RECEIPT_CANCELLATION, teller, self.about, replacedByAccessKey=written)
        assert (text(event, "tpEvento"), text(event, "chNFeRef")) == ("110112", RECEIPT_KEY)
        assert (text(event, "cOrgaoAutor"), text(event, "verAplic")) == ("35", SOFTWARE.name)
        assert (text(event, "nProt"), text(event, "xJust")) == (
            ABOUT.protocol,
            "Cancelamento solicitado pelo emitente",
        )

    @pytest.mark.parametrize("key", ["1", "x" * 61, RECEIPT_KEY + "-"])
    def test_by_what_has_not_the_form_of_a_key_is_refused(self, key: str) -> None:
        assert set(wrong(RECEIPT_CANCELLATION, replacedByAccessKey=key)) == {"replacedByAccessKey"}

    def test_by_a_key_whose_digit_is_wrong_is_told_by_its_field(self, teller: Teller) -> None:
        other_digit = RECEIPT_KEY[:-1] + "0"
        made = filed(RECEIPT_CANCELLATION, teller, self.about, replacedByAccessKey=other_digit)
        assert set(refused(made)) == {"replacedByAccessKey"}


class TestCorrection:
    def test_says_what_is_to_be_corrected(self, teller: Teller) -> None:
        event = told(CORRECTION, teller, replace(ABOUT, sequence=20), correction=f" {LETTER}  ")
        assert SCHEMAS.problems(Schema.NFE_CORRECTION, event) == ()
        assert (text(event, "tpEvento"), text(event, "nSeqEvento")) == ("110110", "20")
        assert text(event, "xCorrecao") == LETTER

    @pytest.mark.parametrize("length", [15, 1000])
    def test_may_be_short_and_long(self, teller: Teller, length: int) -> None:
        assert text(told(CORRECTION, teller, correction="x" * length), "xCorrecao") == "x" * length

    @pytest.mark.parametrize("letter", ["x" * 14, "x" * 1001, f"x{' ' * 14}x"])
    def test_has_15_to_1000_letters(self, letter: str) -> None:
        assert set(wrong(CORRECTION, correction=letter)) == {"correction"}

    def test_must_say_something(self) -> None:
        assert wrong(CORRECTION) == {"correction": "Campo obrigatório."}

    def test_in_another_place_has_another_digest(self, teller: Teller) -> None:
        first, second = (
            filed(CORRECTION, teller, replace(ABOUT, sequence=sequence), correction=LETTER)
            for sequence in (1, 2)
        )
        assert isinstance(first, SignedFiling)
        assert isinstance(second, SignedFiling)
        assert first.digest_value != second.digest_value

"""Statements of the recipient about a received NF-e, from the body to the signed XML."""

from datetime import timedelta
from typing import Any

import pytest
from lxml import etree
from pydantic import ValidationError

from carimbo.fiscal.documents.nfe.definition import NFE
from carimbo.fiscal.documents.nfe.manifestation import MANIFESTATIONS, ManifestationRequest
from carimbo.fiscal.documents.nfe.received_file import read
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.filing import EventSubject, FilingIssuer
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from carimbo.fiscal.layouts.sefaz.events import NATIONAL_ORGAN, event_identity
from carimbo.fiscal.receiving import ReceivedEvent, Receiving, ResponseKind
from carimbo.fiscal.signed_documents import SignedFiling
from nfe_answers import alone, event_receipt
from unit.fiscal.documents.received_nfe import EVENT, KEY
from unit.fiscal.goods.support import ISSUED_AT, SCHEMAS, SOFTWARE, company, misformed
from xmlsec1 import xmlsec1_accepts

REASON = "A mercadoria chegou avariada"
ABOUT = EventSubject(access_key=KEY, protocol="135260000000001", occurred_at=ISSUED_AT, sequence=2)
CODES = {"science": "210210", "confirmed": "210200", "unknown": "210220", "notPerformed": "210240"}


@pytest.fixture(scope="module")
def issuer(signer: Signer) -> FilingIssuer:
    return FilingIssuer(company(), Environment.HOMOLOGATION, SOFTWARE, signer, SCHEMAS)


def receiving() -> Receiving:
    assert NFE.receiving
    return NFE.receiving


def signed(kind: ResponseKind, issuer: FilingIssuer, justification: str | None = REASON) -> bytes:
    """Returns the signed statement."""
    body = {"type": kind.name, "justification": justification}
    request = None if kind.name == "science" else kind.request.model_validate(body)
    filing = kind.issue(request, ABOUT, issuer)
    assert isinstance(filing, SignedFiling), filing
    return filing.xml


def errors(**body: Any) -> dict[str, str]:
    """Returns the validation errors of a body."""
    with pytest.raises(ValidationError) as caught:
        ManifestationRequest.model_validate(body)
    return misformed(caught.value)


class TestRequest:
    @pytest.mark.parametrize("name", ["confirmed", "unknown", "science"])
    def test_justification_may_be_null(self, name: str) -> None:
        assert ManifestationRequest.model_validate({"type": name, "justification": None}).type == name

    @pytest.mark.parametrize("name", ["confirmed", "science"])
    def test_justification_that_the_event_has_no_place_for_is_dropped(self, name: str) -> None:
        request = ManifestationRequest.model_validate({"type": name, "justification": REASON})
        assert request.justification is None

    @pytest.mark.parametrize("justification", [None, "", "   "])
    def test_operation_that_was_not_performed_needs_a_justification(self, justification: str | None) -> None:
        body = {"type": "notPerformed", "justification": justification}
        assert errors(**body) == {"justification": "Campo obrigatório."}
        assert errors(type="notPerformed") == {"justification": "Campo obrigatório."}

    @pytest.mark.parametrize(
        ("justification", "message"),
        [
            ("x" * 14, "Deve ter pelo menos 15 caracteres."),
            ("x" * 256, "Deve ter no máximo 255 caracteres."),
            (5, "Deve ser um texto."),
        ],
    )
    def test_justification_has_15_to_255_characters(self, justification: Any, message: str) -> None:
        assert errors(type="unknown", justification=justification) == {"justification": message}

    @pytest.mark.parametrize("name", ["210210", "210200", "", None, ["notPerformed"]])
    def test_other_types_are_refused(self, name: Any) -> None:
        assert set(errors(type=name)) == {"type"}


class TestKinds:
    def test_each_kind_has_its_official_code(self) -> None:
        assert {kind.name: kind.code for kind in receiving().responses} == CODES

    def test_only_the_acknowledgement_is_not_conclusive(self) -> None:
        science, *conclusive = MANIFESTATIONS
        assert (science.is_conclusive, science.max_events, science.within) == (False, 1, timedelta(days=10))
        for kind in conclusive:
            assert (kind.is_conclusive, kind.max_events, kind.within) == (True, 2, timedelta(days=90))

    def test_kind_is_found_by_its_name(self) -> None:
        assert receiving().response_named("unknown").code == "210220"
        with pytest.raises(LookupError):
            receiving().response_named("210220")


class TestSigning:
    @pytest.mark.parametrize("kind", MANIFESTATIONS, ids=lambda kind: kind.name)
    def test_statement_is_signed_for_the_national_environment(
        self, kind: ResponseKind, issuer: FilingIssuer
    ) -> None:
        xml = signed(kind, issuer)
        assert xmlsec1_accepts(xml, "infEvento")
        identity = event_identity(xml)
        assert (identity.organ, identity.type) == (NATIONAL_ORGAN, kind.code)
        assert (identity.access_key, identity.sequence) == (KEY, 2)

    @pytest.mark.parametrize("kind", MANIFESTATIONS, ids=lambda kind: kind.name)
    def test_only_refusals_have_the_justification(self, kind: ResponseKind, issuer: FilingIssuer) -> None:
        texts = [node.text for node in etree.fromstring(signed(kind, issuer)).iter(f"{{{NAMESPACE}}}xJust")]
        assert texts == ([REASON] if kind.name in ("unknown", "notPerformed") else [])

    def test_author_is_the_company(self, issuer: FilingIssuer) -> None:
        (author,) = etree.fromstring(signed(MANIFESTATIONS[1], issuer)).iter(f"{{{NAMESPACE}}}CNPJ")
        assert author.text == issuer.company.tax_id

    def test_registered_statement_is_read_back(self, issuer: FilingIssuer) -> None:
        kind = MANIFESTATIONS[3]
        receipt = alone(event_receipt("135", "Evento registrado", event_type=kind.code, key=KEY))
        received = read(EVENT, kind.registered(signed(kind, issuer), receipt), "")
        assert isinstance(received, ReceivedEvent)
        assert (received.code, received.text, received.situation) == ("210240", REASON, None)
        assert received.occurred_at == ISSUED_AT

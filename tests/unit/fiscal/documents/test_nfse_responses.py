"""What the taker declares about a received NFS-e: confirmation and refusal."""

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from lxml import etree
from pydantic import ValidationError

from carimbo.fiscal.documents.nfse.received import RECEIVING, NoteResponseRequest
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.filing import EventSubject, FilingIssuer, FilingResult
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.issuance import Software
from carimbo.fiscal.receiving import Role
from carimbo.fiscal.schemas import Schema
from carimbo.fiscal.signed_documents import SignedFiling
from unit.fiscal.documents.nfse_support import KEY, SIMPLES
from unit.fiscal.goods.support import SCHEMAS, misformed, refused
from xmlsec1 import xmlsec1_accepts

REASON = "O serviço não foi contratado por nós"
ABOUT = EventSubject(KEY, "123", datetime.fromisoformat("2026-11-26T10:00:00-03:00"), 1)


@pytest.fixture(scope="module")
def taker(signer: Signer) -> FilingIssuer:
    return FilingIssuer(SIMPLES, Environment.HOMOLOGATION, Software("carimbo"), signer, SCHEMAS)


def filed(taker: FilingIssuer, about: EventSubject = ABOUT, **body: Any) -> FilingResult:
    kind = RECEIVING.response_named(body["type"])
    return kind.issue(kind.request.model_validate(body), about, taker)


def signed(taker: FilingIssuer, **body: Any) -> etree._Element:
    """Returns an event as it is signed."""
    filing = filed(taker, **body)
    assert isinstance(filing, SignedFiling), filing
    assert xmlsec1_accepts(filing.xml, "infPedReg")
    event = etree.fromstring(filing.xml)
    assert SCHEMAS.problems(Schema.NFSE_EVENT, event) == ()
    return event


def errors_in(**body: Any) -> set[str]:
    with pytest.raises(ValidationError) as caught:
        NoteResponseRequest.model_validate(body)
    return set(misformed(caught.value))


class TestConfirmation:
    def test_confirmation_names_note_and_taker(self, taker: FilingIssuer) -> None:
        event = signed(taker, type="confirmed")
        assert event[0].get("Id") == f"PRE{KEY}203202"
        assert event.findtext(".//{*}chNFSe") == KEY
        assert event.findtext(".//{*}CNPJAutor") == SIMPLES.tax_id
        assert event.findtext(".//{*}e203202/{*}xDesc") == "Manifestação de NFS-e - Confirmação do Tomador"


class TestRefusal:
    @pytest.mark.parametrize("code", ["1", "2", "3", "4", "5", "9"])
    def test_refusal_has_one_of_six_reasons(self, code: str, taker: FilingIssuer) -> None:
        event = signed(taker, type="refused", reasonCode=code, justification=REASON)
        detail = event.find(".//{*}e203206")
        assert detail is not None
        assert [detail.findtext(f"{{*}}{tag}") for tag in ("xDesc", "cMotivo", "xMotivo")] == [
            "Manifestação de NFS-e - Rejeição do Tomador",
            code,
            REASON,
        ]

    def test_refusal_needs_no_text_for_a_listed_reason(self, taker: FilingIssuer) -> None:
        assert signed(taker, type="refused", reasonCode="1").find(".//{*}xMotivo") is None

    def test_characters_that_no_document_allows_are_refused_by_their_field(self, taker: FilingIssuer) -> None:
        filing = filed(taker, type="refused", reasonCode="9", justification="Não contratamos 😀 o serviço")
        assert set(refused(filing)) == {"justification"}


class TestBody:
    @pytest.mark.parametrize(
        ("body", "fields"),
        [
            ({"type": "refused"}, {"reasonCode"}),
            ({"type": "refused", "reasonCode": " "}, {"reasonCode"}),
            ({"type": "refused", "reasonCode": "9"}, {"justification"}),
            ({"type": "refused", "reasonCode": "7", "justification": REASON}, {"reasonCode"}),
            ({"type": "refused", "reasonCode": "1", "justification": "curta"}, {"justification"}),
            ({"type": "confirmed", "reason": REASON}, {"reason"}),
            ({"type": "confirmed", "reasonCode": "1"}, {"reasonCode"}),
            ({"type": "confirmed", "justification": REASON}, {"justification"}),
            ({"type": "canceled"}, {"type"}),
            ({}, {"type"}),
        ],
    )
    def test_wrong_body_is_refused_by_its_fields(self, body: dict[str, Any], fields: set[str]) -> None:
        assert errors_in(**body) == fields

    @pytest.mark.parametrize("body", ["", [], None, 9])
    def test_body_must_be_an_object(self, body: Any) -> None:
        with pytest.raises(ValidationError):
            NoteResponseRequest.model_validate(body)


class TestText:
    @pytest.mark.parametrize(
        ("request_of", "text"),
        [
            ({"reasonCode": "1"}, "Motivo 1: NFS-e em duplicidade."),
            ({"reasonCode": "9", "justification": REASON}, f"Motivo 9: outros. {REASON}"),
        ],
    )
    def test_text_of_a_refusal_names_the_reason(self, request_of: dict[str, str], text: str) -> None:
        assert RECEIVING.response_named("refused").text_of(request_of) == text


class TestKinds:
    def test_each_statement_is_possible_once(self) -> None:
        assert [(kind.name, kind.code, kind.max_events) for kind in RECEIVING.responses] == [
            ("confirmed", "203202", 1),
            ("refused", "203206", 1),
        ]

    def test_body_chooses_the_statement(self) -> None:
        for body in ({"type": "confirmed"}, {"type": "refused", "reasonCode": 1}):
            request = NoteResponseRequest.model_validate(body)
            chosen = [kind.name for kind in RECEIVING.responses if kind.chosen_by(request)]
            assert chosen == [body["type"]]
        assert RECEIVING.responds_as is Role.TAKER

    def test_note_of_a_municipal_system_takes_no_statement_here(self, taker: FilingIssuer) -> None:
        about = replace(ABOUT, access_key=f"{KEY[:7]}1{KEY[8:]}")
        problems = filed(taker, about, type="confirmed")
        assert isinstance(problems, tuple)
        assert [problem.code for problem in problems] == ["E0831"]

    def test_registered_event_is_the_one_of_the_authority(self) -> None:
        for kind in RECEIVING.responses:
            assert kind.registered(b"<pedRegEvento/>", b"<evento/>") == b"<evento/>"

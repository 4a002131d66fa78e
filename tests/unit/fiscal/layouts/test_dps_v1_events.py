"""Signed events of the NFS-e, validated with the official XSD."""

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from lxml import etree

from carimbo.fiscal.identity.access_key import InvalidId
from carimbo.fiscal.identity.signature import Signer, verify
from carimbo.fiscal.layouts.dps_v1.events import (
    EventRequest,
    NoteCancellation,
    NoteEvent,
    NoteEventDetail,
    NoteEventIdentity,
    TakerConfirmation,
    TakerRefusal,
    event_identity,
    issue_event,
    signed_event,
)
from carimbo.fiscal.layouts.layout import to_xml
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schema, Schemas
from support import CNPJ, OTHER_CNPJ
from unit.fiscal.layouts.service_notes import CPF, KEY, KEY_WITH_LETTERS
from xmlsec1 import xmlsec1_accepts

NOON = datetime(2026, 11, 14, 12, 0, 0, 123456, tzinfo=timezone(timedelta(hours=-3)))
REASON = "Serviço não prestado ao tomador"
CANCELLATION = NoteCancellation(reason_code="2", reason=REASON)
CANCELED = NoteEvent("2", "carimbo 1.0", CNPJ, KEY, NOON, CANCELLATION)
EVENTS = {
    "by its issuer": CANCELED,
    "letters in the CNPJ": replace(CANCELED, access_key=KEY_WITH_LETTERS, tax_id=OTHER_CNPJ),
    "of a person": replace(CANCELED, tax_id=CPF),
    "confirmed by the taker": replace(CANCELED, detail=TakerConfirmation()),
    "refused by the taker": replace(CANCELED, detail=TakerRefusal(reason_code="9", reason=REASON)),
    "refused without a text": replace(CANCELED, detail=TakerRefusal(reason_code="1")),
}
each_event = pytest.mark.parametrize("event", EVENTS.values(), ids=EVENTS)


def of_detail(detail: NoteEventDetail) -> NoteEvent:
    return replace(CANCELED, detail=detail)


class TestSignedEvent:
    @each_event
    def test_signed_event_is_accepted_by_the_xsd(
        self, event: NoteEvent, signer: Signer, schemas: Schemas
    ) -> None:
        root = etree.fromstring(signed_event(event, signer))
        assert schemas.problems(Schema.NFSE_EVENT, root, EventRequest) == ()

    @each_event
    def test_signed_event_is_its_own_canonical_form(self, event: NoteEvent, signer: Signer) -> None:
        text = signed_event(event, signer)
        assert etree.tostring(etree.fromstring(text), method="c14n") == text

    @each_event
    def test_signature_of_an_event_verifies(self, event: NoteEvent, signer: Signer) -> None:
        text = signed_event(event, signer)
        assert verify(etree.fromstring(text)).reference_id == event.id
        assert xmlsec1_accepts(text, "infPedReg")

    def test_event_of_a_person_has_the_cpf(self, signer: Signer) -> None:
        text = signed_event(EVENTS["of a person"], signer).decode()
        assert f"</dhEvento><CPFAutor>{CPF}</CPFAutor><chNFSe>" in text

    def test_cancellation_is_written_as_in_the_layout(self) -> None:
        assert to_xml(CANCELLATION) == (
            "<e101101><xDesc>Cancelamento de NFS-e</xDesc><cMotivo>2</cMotivo>"
            f"<xMotivo>{REASON}</xMotivo></e101101>"
        )

    def test_incomplete_key_is_refused(self, signer: Signer) -> None:
        with pytest.raises(InvalidId):
            signed_event(replace(CANCELED, access_key=KEY[:25]), signer)


class TestIssueEvent:
    @each_event
    def test_valid_event_is_signed(self, event: NoteEvent, signer: Signer, schemas: Schemas) -> None:
        assert issue_event(event, signer, schemas) == signed_event(event, signer)

    @pytest.mark.parametrize(
        ("detail", "path"),
        [
            (replace(CANCELLATION, reason="curto"), "justification"),
            (replace(CANCELLATION, reason="x" * 256), "justification"),
            (replace(CANCELLATION, reason="😀" * 20), "justification"),
            (replace(CANCELLATION, reason_code="3"), "reasonCode"),
            (TakerRefusal(reason_code="6"), "reasonCode"),
            (TakerRefusal(reason_code="9", reason="curto"), "justification"),
        ],
    )
    def test_problem_is_reported_at_its_path_in_the_body(
        self, detail: NoteEventDetail, path: str, signer: Signer, schemas: Schemas
    ) -> None:
        problems = issue_event(of_detail(detail), signer, schemas)
        assert isinstance(problems, tuple)
        assert [(problem.path, problem.code) for problem in problems] == [(path, "225")]

    def test_all_problems_are_reported(self, signer: Signer, schemas: Schemas) -> None:
        wrong = of_detail(NoteCancellation(reason_code="7", reason="curto"))
        problems = issue_event(replace(wrong, tax_id="1"), signer, schemas)
        assert {problem.path for problem in problems if isinstance(problem, Problem)} == {
            "taxId",
            "reasonCode",
            "justification",
        }


class TestEventIdentity:
    @each_event
    def test_event_identity_is_read_from_the_signed_event(self, event: NoteEvent, signer: Signer) -> None:
        identity = event_identity(signed_event(event, signer))
        assert identity == NoteEventIdentity(event.detail.event_type, event.access_key)

    def test_event_identity_of_something_else_is_refused(self) -> None:
        with pytest.raises(LookupError):
            event_identity(b"<pedRegEvento/>")

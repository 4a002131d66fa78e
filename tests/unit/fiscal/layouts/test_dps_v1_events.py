"""Events of the NFS-e as they are signed and sent, held against the official XSD."""

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from lxml import etree

from carimbo.fiscal.ids import InvalidId
from carimbo.fiscal.layouts.dps_v1.events import (
    Cancellation,
    Event,
    EventIdentity,
    EventRequest,
    event_identity,
    issue_event,
    signed_event,
)
from carimbo.fiscal.layouts.records import written
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.signature import Signer, verify
from support import CNPJ, OTHER_CNPJ
from unit.fiscal.layouts.service_notes import CPF, KEY, KEY_WITH_LETTERS
from xmlsec1 import xmlsec1_accepts

NOON = datetime(2026, 11, 14, 12, 0, 0, 123456, tzinfo=timezone(timedelta(hours=-3)))
REASON = "Serviço não prestado ao tomador"
CANCELLATION = Cancellation(reason_code="2", reason=REASON)
CANCELED = Event("2", "carimbo 1.0", CNPJ, KEY, NOON, CANCELLATION)
EVENTS = {
    "by its issuer": CANCELED,
    "letters in the CNPJ": replace(CANCELED, access_key=KEY_WITH_LETTERS, tax_id=OTHER_CNPJ),
    "of a person": replace(CANCELED, tax_id=CPF),
}
each_event = pytest.mark.parametrize("event", EVENTS.values(), ids=EVENTS)


def of_detail(detail: Cancellation) -> Event:
    return replace(CANCELED, detail=detail)


class TestSignedEvent:
    @each_event
    def test_the_xsd_accepts_it(self, event: Event, signer: Signer, schemas: Schemas) -> None:
        root = etree.fromstring(signed_event(event, signer))
        assert schemas.problems(Schema.NFSE_EVENT, root, EventRequest) == ()

    @each_event
    def test_it_is_its_own_canonical_form(self, event: Event, signer: Signer) -> None:
        text = signed_event(event, signer)
        assert etree.tostring(etree.fromstring(text), method="c14n") == text

    @each_event
    def test_its_signature_verifies(self, event: Event, signer: Signer) -> None:
        text = signed_event(event, signer)
        assert verify(etree.fromstring(text)).reference_id == event.id
        assert xmlsec1_accepts(text, "infPedReg")

    def test_a_person_tells_it_by_cpf(self, signer: Signer) -> None:
        text = signed_event(EVENTS["of a person"], signer).decode()
        assert f"</dhEvento><CPFAutor>{CPF}</CPFAutor><chNFSe>" in text

    def test_a_cancellation_is_written_as_the_layout_shows(self) -> None:
        assert written(CANCELLATION) == (
            "<e101101><xDesc>Cancelamento de NFS-e</xDesc><cMotivo>2</cMotivo>"
            f"<xMotivo>{REASON}</xMotivo></e101101>"
        )

    def test_half_a_key_is_refused(self, signer: Signer) -> None:
        with pytest.raises(InvalidId):
            signed_event(replace(CANCELED, access_key=KEY[:25]), signer)


class TestIssueEvent:
    @each_event
    def test_a_good_one_is_signed(self, event: Event, signer: Signer, schemas: Schemas) -> None:
        assert issue_event(event, signer, schemas) == signed_event(event, signer)

    @pytest.mark.parametrize(
        ("detail", "path"),
        [
            (replace(CANCELLATION, reason="curto"), "justification"),
            (replace(CANCELLATION, reason="x" * 256), "justification"),
            (replace(CANCELLATION, reason="😀" * 20), "justification"),
            (replace(CANCELLATION, reason_code="3"), "reasonCode"),
        ],
    )
    def test_what_is_wrong_is_told_by_its_place_in_the_body(
        self, detail: Cancellation, path: str, signer: Signer, schemas: Schemas
    ) -> None:
        found = issue_event(of_detail(detail), signer, schemas)
        assert isinstance(found, tuple)
        assert [(problem.path, problem.code) for problem in found] == [(path, "225")]

    def test_all_that_is_wrong_is_told(self, signer: Signer, schemas: Schemas) -> None:
        wrong = of_detail(Cancellation(reason_code="7", reason="curto"))
        found = issue_event(replace(wrong, tax_id="1"), signer, schemas)
        assert {problem.path for problem in found if isinstance(problem, Problem)} == {
            "taxId",
            "reasonCode",
            "justification",
        }


class TestEventIdentity:
    @each_event
    def test_it_is_read_back(self, event: Event, signer: Signer) -> None:
        identity = event_identity(signed_event(event, signer))
        assert identity == EventIdentity(event.detail.event_type, event.access_key)

    def test_something_else_is_refused(self) -> None:
        with pytest.raises(LookupError):
            event_identity(b"<pedRegEvento/>")

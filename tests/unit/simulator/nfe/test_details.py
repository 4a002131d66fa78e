"""Rejections of what the authority has already, as a trigger asks for them: a client reads what it would."""

import pytest
from lxml import etree

from carimbo.fiscal.access_key import AccessKey
from carimbo.fiscal.layouts.nfe_v4.inutilization import signed_inutilization
from carimbo.fiscal.layouts.sefaz.events import signed_event
from carimbo.fiscal.outcome import Duplicate
from carimbo.fiscal.schemas.catalog import Schema
from carimbo.simulator.family import Said
from carimbo.simulator.nfe.case import Case
from carimbo.simulator.sefaz.protocols import next_protocol
from nfe_dialect import authorization_lot, event_lot, read_authorization, read_event
from unit.simulator.mutating import nfe
from unit.simulator.nfe.counter import (
    AUTHORIZATION,
    EVENT,
    INUTILIZATION,
    RANGE,
    Counter,
    faults,
    key_of,
    place,
    text_of,
)
from unit.simulator.nfe.registrar import CORRECTION, UNKNOWN_KEY

MADE_UP = "135260000000000"
MOMENT = "2026-11-14T10:00:00-03:00"


def refused(counter: Counter, code: str, document: bytes) -> Said:
    said = counter.refused(place(AUTHORIZATION), authorization_lot(1, [document]), code)
    assert faults(said, Schema.NFE_BATCH_ANSWER) == []
    return said


class TestDocuments:
    @pytest.mark.parametrize("code", ["204", "218"])
    def test_known_already_tell_protocol_and_moment(self, counter: Counter, code: str) -> None:
        said = refused(counter, code, nfe(counter.signer))
        message = text_of(said, "protNFe/infProt/xMotivo")
        assert message == said.message
        assert message.endswith(f" [nProt:{MADE_UP}][dhAut:{MOMENT}]")
        assert text_of(said, "protNFe/infProt/nProt") == ""

    def test_whose_number_is_taken_tell_a_key_of_the_same_number(self, counter: Counter) -> None:
        document = nfe(counter.signer)
        outcome = read_authorization(refused(counter, "539", document).reply.body)
        assert isinstance(outcome, Duplicate)
        assert (outcome.code, outcome.protocol) == ("539", MADE_UP)
        assert outcome.other_key
        other, own = AccessKey.parse(outcome.other_key), AccessKey.parse(key_of(document))
        assert str(other)[:35] == str(own)[:35]
        assert str(other)[35:43] != str(own)[35:43]

    def test_refused_for_another_reason_tell_nothing(self, counter: Counter) -> None:
        assert "[" not in refused(counter, "610", nfe(counter.signer)).message

    def test_are_not_kept_and_count_no_protocol(self, counter: Counter) -> None:
        refused(counter, "539", nfe(counter.signer))
        assert counter.ledger.documents() == []
        received = Case(etree.Element("NFe"), place(AUTHORIZATION), counter.world)
        assert next_protocol(received, "35") == "135260000000001"


class TestEvents:
    def test_registered_already_tell_their_protocol(self, counter: Counter) -> None:
        event = signed_event(counter.event(UNKNOWN_KEY, CORRECTION), counter.signer)
        said = counter.refused(place(EVENT), event_lot(1, [event]), "573")
        assert faults(said, Schema.NFE_CORRECTION_ANSWER) == []
        outcome = read_event(said.reply.body, UNKNOWN_KEY, "110110", 1)
        assert isinstance(outcome, Duplicate)
        assert (outcome.code, outcome.protocol) == ("573", MADE_UP)
        assert said.message.endswith(f" [nProt:{MADE_UP}]")


class TestRanges:
    def test_voided_already_tell_their_protocol(self, counter: Counter) -> None:
        said = counter.refused(place(INUTILIZATION), signed_inutilization(RANGE, counter.signer), "563")
        assert faults(said, Schema.NFE_INUTILIZATION_ANSWER) == []
        assert text_of(said, "infInut/nProt") == MADE_UP

    def test_refused_for_another_reason_have_none(self, counter: Counter) -> None:
        said = counter.refused(place(INUTILIZATION), signed_inutilization(RANGE, counter.signer), "241")
        assert text_of(said, "infInut/nProt") == ""

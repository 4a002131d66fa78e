"""NFeRecepcaoEvento4, as our own readers understand it."""

from datetime import timedelta

import pytest
from lxml import etree

from carimbo.fiscal.layouts.nfe_v4.events import (
    Cancellation,
    CancellationBySubstitution,
    OperationAcknowledged,
    OperationConfirmed,
)
from carimbo.fiscal.layouts.sefaz.events import signed_event
from carimbo.fiscal.outcome import Authorized, Canceled, Duplicate, Rejected, Throttled
from carimbo.fiscal.schemas.catalog import Schema
from carimbo.simulator.controls import Contingency
from carimbo.simulator.family import Said
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.nfe.dialect import DIALECT, NAMESPACE
from carimbo.simulator.place import HOMOLOGATION
from carimbo.simulator.sefaz.answers import registered_event
from nfe_dialect import event_lot, read_event
from unit.fiscal.goods.support import BUYER_CNPJ, CONTRIBUTOR, CPF, ISSUED_AT
from unit.simulator.mutating import nfce, nfe
from unit.simulator.nfe.counter import EVENT, REASON, Counter, faults, message_of, place, schema, text_of
from unit.simulator.nfe.registrar import CORRECTION, OFFLINE, UNKNOWN_KEY

CANCELED, CORRECTED, MANIFESTED = (
    Schema.NFE_CANCELLATION_ANSWER,
    Schema.NFE_CORRECTION_ANSWER,
    Schema.NFE_MANIFESTATION_ANSWER,
)


def cancel(counter: Counter, document: StoredDocument, family: str = "nfe") -> Said:
    detail = Cancellation(protocol=document.protocol, reason=REASON)
    said = counter.tell(counter.event(document.access_key, detail), family=family)
    assert faults(said, CANCELED) == []
    return said


def correct(counter: Counter, key: str, sequence: int = 1) -> Said:
    said = counter.tell(counter.event(key, CORRECTION, sequence=sequence))
    assert faults(said, CORRECTED) == []
    return said


class TestCancellation:
    def test_a_document_is_canceled_with_a_protocol_of_its_own(self, counter: Counter) -> None:
        document = counter.authorised(nfe(counter.signer))
        said = cancel(counter, document)
        outcome = read_event(said.reply.body, document.access_key, "110111", 1)
        assert isinstance(outcome, Authorized), said.reply.body.decode()
        assert (outcome.code, outcome.protocol, said.code) == ("135", "135260000000002", "135")
        assert (text_of(said, "cStat"), text_of(said, "cOrgao")) == ("128", "35")
        assert text_of(said, "retEvento/infEvento/CPFDest") == CPF
        kept = counter.ledger.document(HOMOLOGATION, document.access_key)
        assert kept
        assert kept.is_canceled

    def test_event_and_answer_make_the_file_that_is_kept(self, counter: Counter) -> None:
        document = counter.authorised(nfe(counter.signer))
        cancel(counter, document)
        [event] = counter.ledger.events(HOMOLOGATION, document.access_key)
        whole = etree.fromstring(registered_event(DIALECT, event.xml, event.answer_xml))
        assert schema(Schema.NFE_CANCELLATION_REGISTERED).validate(whole)

    def test_a_canceled_document_is_not_sent_again(self, counter: Counter) -> None:
        document = nfe(counter.signer)
        cancel(counter, counter.authorised(document))
        assert counter.send(document).code == "218"

    @pytest.mark.parametrize(("hours", "code"), [(24, "135"), (25, "155"), (720, "155"), (721, "501")])
    def test_an_nfe_may_be_canceled_late_and_at_last_not_at_all(
        self, hours: int, code: str, counter: Counter
    ) -> None:
        document = counter.authorised(nfe(counter.signer))
        counter.now += timedelta(hours=hours)
        assert cancel(counter, document).code == code

    @pytest.mark.parametrize(("minutes", "code"), [(30, "135"), (31, "501")])
    def test_a_receipt_may_be_canceled_for_half_an_hour(
        self, minutes: int, code: str, counter: Counter
    ) -> None:
        document = counter.authorised(nfce(counter.signer), family="nfce")
        counter.now += timedelta(minutes=minutes)
        assert cancel(counter, document, "nfce").code == code

    def test_the_same_event_again_is_a_duplicate_with_its_protocol(self, counter: Counter) -> None:
        document = counter.authorised(nfe(counter.signer))
        cancel(counter, document)
        outcome = read_event(cancel(counter, document).reply.body, document.access_key, "110111", 1)
        assert isinstance(outcome, Duplicate)
        assert (outcome.code, outcome.protocol) == ("573", "135260000000002")

    def test_with_that_rule_off_the_document_is_canceled_already(self, counter: Counter) -> None:
        document = counter.authorised(nfe(counter.signer))
        cancel(counter, document)
        counter.switches["rules_off"] = frozenset({"573"})
        outcome = read_event(cancel(counter, document).reply.body, document.access_key, "110111", 1)
        assert isinstance(outcome, Canceled)
        assert outcome.code == "420"
        counter.switches["rules_off"] = frozenset({"573", "420"})
        assert cancel(counter, document).code == "135"
        assert len(counter.ledger.events(HOMOLOGATION, document.access_key)) == 1

    def test_an_event_refused_twenty_times_is_not_looked_at(self, counter: Counter) -> None:
        document = counter.authorised(nfe(counter.signer))
        counter.now += timedelta(hours=721)
        assert {cancel(counter, document).code for _ in range(20)} == {"501"}
        outcome = read_event(cancel(counter, document).reply.body, document.access_key, "110111", 1)
        assert isinstance(outcome, Throttled)


class TestSubstitution:
    def test_a_receipt_gives_way_to_one_issued_offline(self, counter: Counter) -> None:
        first = counter.authorised(nfce(counter.signer), family="nfce")
        other = counter.authorised(nfce(counter.signer, under=OFFLINE), family="nfce")
        counter.now += timedelta(hours=168)
        detail = CancellationBySubstitution(
            author_state_code="35",
            application_version="pdv 1.0",
            protocol=first.protocol,
            reason=REASON,
            replaced_by=other.access_key,
        )
        said = counter.tell(counter.event(first.access_key, detail), family="nfce")
        outcome = read_event(said.reply.body, first.access_key, "110112", 1)
        assert isinstance(outcome, Authorized), said.reply.body.decode()
        assert faults(said, CANCELED) == []
        assert counter.consult(first.access_key, family="nfce").code == "101"
        assert counter.consult(other.access_key, family="nfce").code == "100"


class TestCorrection:
    def test_corrections_are_counted(self, counter: Counter) -> None:
        key = counter.authorised(nfe(counter.signer)).access_key
        assert [correct(counter, key, sequence).code for sequence in (1, 2, 20)] == ["135"] * 3

    def test_a_twenty_first_is_refused(self, counter: Counter) -> None:
        key = counter.authorised(nfe(counter.signer)).access_key
        outcome = read_event(correct(counter, key, 21).reply.body, key, "110110", 21)
        assert isinstance(outcome, Rejected)
        assert outcome.code == "594"

    def test_receipts_take_none(self, counter: Counter) -> None:
        key = counter.authorised(nfce(counter.signer), family="nfce").access_key
        assert counter.tell(counter.event(key, CORRECTION), family="nfce").code == "784"


class TestManifestation:
    def test_the_recipient_tells_the_national_environment(self, counter: Counter, buyer: Counter) -> None:
        key = counter.authorised(nfe(counter.signer, recipient=CONTRIBUTOR)).access_key
        said = buyer.tell(buyer.event(key, OperationAcknowledged(), by=BUYER_CNPJ), "AN")
        outcome = read_event(said.reply.body, key, "210210", 1)
        assert isinstance(outcome, Authorized), said.reply.body.decode()
        assert (outcome.code, outcome.protocol) == ("135", "891260000000001")
        assert faults(said, MANIFESTED) == []
        assert text_of(said, "cOrgao") == "91"

    def test_a_document_that_is_not_known_yet_is_not_bound(self, buyer: Counter) -> None:
        said = buyer.tell(buyer.event(UNKNOWN_KEY, OperationConfirmed(), by=BUYER_CNPJ), "AN")
        outcome = read_event(said.reply.body, UNKNOWN_KEY, "210200", 1)
        assert isinstance(outcome, Authorized)
        assert outcome.code == "136"
        assert faults(said, MANIFESTED) == []

    def test_a_state_takes_none(self, counter: Counter, buyer: Counter) -> None:
        key = counter.authorised(nfe(counter.signer, recipient=CONTRIBUTOR)).access_key
        said = buyer.tell(buyer.event(key, OperationConfirmed(), by=BUYER_CNPJ))
        assert said.code == "491"
        assert faults(said, MANIFESTED) == []

    def test_the_national_environment_takes_nothing_of_issuers(self, counter: Counter) -> None:
        document = counter.authorised(nfe(counter.signer))
        detail = Cancellation(protocol=document.protocol, reason=REASON)
        assert counter.tell(counter.event(document.access_key, detail), "AN").code == "491"


class TestLot:
    def test_events_are_judged_one_by_one(self, counter: Counter) -> None:
        key = counter.authorised(nfe(counter.signer)).access_key
        events = [
            signed_event(counter.event(key, CORRECTION, sequence=1), counter.signer),
            signed_event(counter.event(key, CORRECTION, sequence=2), counter.signer),
            signed_event(counter.event(UNKNOWN_KEY, CORRECTION), counter.signer),
        ]
        said = counter.ask(place(EVENT), event_lot(7, events))
        assert (said.code, text_of(said, "idLote")) == ("128", "7")
        assert faults(said, CORRECTED) == []
        assert isinstance(read_event(said.reply.body, key, "110110", 2), Authorized)
        assert isinstance(read_event(said.reply.body, UNKNOWN_KEY, "110110", 1), Rejected)

    @pytest.mark.parametrize(
        "inside",
        [
            "<idLote>1</idLote>",
            "<evento/>",
            "<idLote>x</idLote><evento/>",
            "<idLote>1</idLote><evento/><outro/>",
            f"<idLote>1</idLote>{'<evento/>' * 21}",
        ],
    )
    def test_what_is_no_lot_is_refused_as_a_whole(self, inside: str, counter: Counter) -> None:
        message = f'<envEvento xmlns="{NAMESPACE}" versao="1.00">{inside}</envEvento>'
        said = counter.ask(place(EVENT), message.encode())
        assert (said.code, text_of(said, "cStat")) == ("215", "215")
        assert message_of(said).find(f"{{{NAMESPACE}}}retEvento") is None

    def test_another_message_is_refused(self, counter: Counter) -> None:
        message = f'<outra xmlns="{NAMESPACE}" versao="4.00"/>'
        said = counter.ask(place(EVENT), message.encode())
        assert (said.code, text_of(said, "idLote")) == ("215", "0")
        assert faults(said, CORRECTED) == []

    def test_an_event_without_anything_in_it_is_refused(self, counter: Counter) -> None:
        message = f'<envEvento xmlns="{NAMESPACE}" versao="1.00"><idLote>1</idLote><evento/></envEvento>'
        said = counter.ask(place(EVENT), message.encode())
        assert (said.code, text_of(said, "retEvento/infEvento/cStat")) == ("491", "491")


class TestSvc:
    def test_an_svc_cancels_what_it_authorised(self, counter: Counter) -> None:
        document = counter.authorised(nfe(counter.signer))
        detail = Cancellation(protocol=document.protocol, reason=REASON)
        event = counter.event(document.access_key, detail)
        assert counter.tell(event, "SVCAN").code == "114"
        counter.switches["contingency"] = {"SVCAN": Contingency.ON}
        assert counter.tell(event, "SVCAN").code == "494"
        counter.store.connection.execute("update documents set authorizer = 'SVCAN'")
        assert counter.tell(event, "SVCAN").code == "135"
        assert counter.now == ISSUED_AT

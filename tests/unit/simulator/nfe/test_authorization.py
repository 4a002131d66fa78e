"""NFeAutorizacao4 and NFeRetAutorizacao4, as our own readers understand them."""

import gzip
from base64 import b64encode
from dataclasses import replace
from datetime import timedelta

import pytest
from lxml import etree

from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.outcome import Authorized, Duplicate, NotJudged, Processing, Rejected, Throttled
from carimbo.fiscal.schemas.catalog import Schema
from carimbo.fiscal.soap import envelope
from carimbo.simulator.contributors import Contributors
from carimbo.simulator.controls import Contingency
from carimbo.simulator.family import Said
from carimbo.simulator.nfe.dialect import DIALECT, NAMESPACE
from carimbo.simulator.place import HOMOLOGATION
from carimbo.simulator.sefaz.answers import authorized_document
from nfe_dialect import authorization_lot, read_authorization, read_receipt, receipt_query
from support import CNPJ
from unit.fiscal.goods.support import ISSUED_AT, emission
from unit.simulator.mutating import mutated, nfce, nfe, says
from unit.simulator.nfe.counter import (
    AUTHORIZATION,
    RECEIPT,
    Counter,
    enclosed,
    faults,
    key_of,
    message_of,
    place,
    schema,
    text_of,
)
from unit.simulator.nfe.registrar import OFFLINE

SERVICE = f"{NAMESPACE}/wsdl/{AUTHORIZATION}"


def lot_of(*documents: bytes, synchronous: str) -> bytes:
    """A lot that asks for its answer now (1) or later (0), whatever is in it."""
    content = b"".join(documents).decode()
    head = f"<idLote>1</idLote><indSinc>{synchronous}</indSinc>"
    return f'<enviNFe xmlns="{NAMESPACE}" versao="4.00">{head}{content}</enviNFe>'.encode()


def documents(counter: Counter, count: int) -> list[bytes]:
    return [nfe(counter.signer, under=emission(number=number)) for number in range(3, 3 + count)]


def refused_lot(counter: Counter, message: bytes) -> str:
    """The code of a lot that is refused as a whole."""
    said = counter.ask(place(AUTHORIZATION), message)
    assert message_of(said).find(f"{{{NAMESPACE}}}protNFe") is None
    assert faults(said, Schema.NFE_BATCH_ANSWER) == []
    assert text_of(said, "xMotivo").startswith("Rejeição: ")
    assert counter.ledger.documents() == []
    assert text_of(said, "cStat") == said.code
    return said.code


class TestOneDocument:
    def test_an_nfe_is_authorised_with_a_protocol_and_the_digest_of_its_signature(
        self, counter: Counter
    ) -> None:
        document = nfe(counter.signer)
        said = counter.send(document)
        outcome = read_authorization(said.reply.body, key_of(document))
        assert isinstance(outcome, Authorized), said.reply.body.decode()
        assert (outcome.code, outcome.protocol, said.code) == ("100", "135260000000001", "100")
        assert outcome.authorized_at == ISSUED_AT
        assert (outcome.digest or "").encode() in document
        assert faults(said, Schema.NFE_BATCH_ANSWER) == []
        assert text_of(said, "cStat") == "104"
        assert text_of(said, "dhRecbto") == "2026-11-14T10:00:00-03:00"

    def test_an_nfce_is_authorised(self, counter: Counter) -> None:
        document = nfce(counter.signer)
        said = counter.send(document, family="nfce")
        outcome = read_authorization(said.reply.body, key_of(document))
        assert isinstance(outcome, Authorized), said.reply.body.decode()
        assert faults(said, Schema.NFE_BATCH_ANSWER) == []

    def test_it_is_kept_with_its_protocol(self, counter: Counter) -> None:
        document = nfe(counter.signer)
        kept = counter.authorised(document)
        assert etree.tostring(etree.fromstring(kept.xml), method="c14n") == document
        assert (kept.issuer, kept.series, kept.number, kept.authorizer) == (CNPJ, 1, 3, "SP")
        whole = etree.fromstring(authorized_document(DIALECT, kept.xml, kept.protocol_xml))
        assert schema(Schema.NFE_AUTHORIZED).validate(whole)

    def test_its_issuer_is_in_the_register_from_then_on(self, counter: Counter) -> None:
        counter.authorised(nfe(counter.signer))
        [issuer] = Contributors(counter.store).of_tax_id("SP", CNPJ)
        assert (issuer.registration, issuer.city) == ("111111110110", "São Paulo")

    @pytest.mark.parametrize(
        ("later", "code"), [(timedelta(days=7), "100"), (timedelta(days=7, hours=1), "150")]
    )
    def test_an_nfe_is_late_after_seven_days(self, later: timedelta, code: str, counter: Counter) -> None:
        counter.now = ISSUED_AT + later
        outcome = read_authorization(counter.send(nfe(counter.signer)).reply.body)
        assert isinstance(outcome, Authorized)
        assert (outcome.code, outcome.late) == (code, code == "150")

    @pytest.mark.parametrize(("hours", "code"), [(24, "100"), (25, "150")])
    def test_a_receipt_issued_offline_is_late_after_a_day(
        self, hours: int, code: str, counter: Counter
    ) -> None:
        document = nfce(counter.signer, under=OFFLINE)
        counter.now = ISSUED_AT + timedelta(hours=hours)
        assert counter.send(document, family="nfce").code == code

    def test_a_rejected_document_is_not_kept(self, counter: Counter) -> None:
        document = mutated(nfe(counter.signer), says("infNFe/ide/cNF", "11111111"), counter.signer)
        said = counter.send(document)
        outcome = read_authorization(said.reply.body, key_of(document))
        assert isinstance(outcome, Rejected)
        assert (outcome.code, said.code) == ("897", "897")
        assert outcome.message.startswith("Rejeição: ")
        assert text_of(said, "cStat") == "104"
        assert faults(said, Schema.NFE_BATCH_ANSWER) == []
        assert counter.ledger.documents() == []

    def test_the_same_document_again_is_a_duplicate_with_its_protocol(self, counter: Counter) -> None:
        document = nfe(counter.signer)
        counter.authorised(document)
        outcome = read_authorization(counter.send(document).reply.body, key_of(document))
        assert isinstance(outcome, Duplicate)
        assert (outcome.code, outcome.protocol) == ("204", "135260000000001")

    def test_with_that_rule_off_the_first_document_stays(self, counter: Counter) -> None:
        document = nfe(counter.signer)
        first = counter.authorised(document)
        counter.switches["rules_off"] = frozenset({"204"})
        assert counter.send(document).code == "100"
        assert counter.ledger.document(HOMOLOGATION, first.access_key) == first

    def test_a_document_refused_thirty_times_in_an_hour_is_not_looked_at(self, counter: Counter) -> None:
        document = mutated(nfe(counter.signer), says("infNFe/ide/cNF", "11111111"), counter.signer)
        assert {counter.send(document).code for _ in range(30)} == {"897"}
        outcome = read_authorization(counter.send(document).reply.body)
        assert isinstance(outcome, Throttled)
        counter.now += timedelta(hours=1, seconds=1)
        assert counter.send(document).code == "897"

    def test_protocols_tell_who_gave_them(self, counter: Counter) -> None:
        document = nfe(counter.signer)
        counter.switches["rules_off"] = frozenset({"226"})
        kept = counter.authorised(document, authorizer="SVRS")
        assert kept.protocol == "335260000000001"


class TestZippedLot:
    def test_a_zipped_lot_is_judged(self, counter: Counter) -> None:
        content = b64encode(gzip.compress(authorization_lot(1, [nfe(counter.signer)])))
        said = counter.say(place(AUTHORIZATION), envelope(SERVICE, content, "nfeDadosMsgZip"))
        assert said.code == "100"

    def test_what_cannot_be_unzipped_is_refused(self, counter: Counter) -> None:
        said = counter.say(place(AUTHORIZATION), envelope(SERVICE, b"AAAA", "nfeDadosMsgZip"))
        assert (said.code, text_of(said, "cStat")) == ("416", "416")
        assert faults(said, Schema.NFE_BATCH_ANSWER) == []


class TestLot:
    def test_one_document_may_not_be_answered_later(self, counter: Counter) -> None:
        assert refused_lot(counter, lot_of(nfe(counter.signer), synchronous="0")) == "452"

    def test_several_documents_may_not_be_answered_at_once(self, counter: Counter) -> None:
        assert refused_lot(counter, lot_of(*documents(counter, 2), synchronous="1")) == "764"

    def test_models_may_not_be_mixed(self, counter: Counter) -> None:
        mixed = lot_of(nfe(counter.signer), nfce(counter.signer), synchronous="0")
        assert refused_lot(counter, mixed) == "765"

    def test_a_message_that_the_xsd_refuses_judges_nothing(self, counter: Counter) -> None:
        assert refused_lot(counter, lot_of(b"<NFe/>", synchronous="1")) == "225"

    def test_a_sender_without_certificate_is_refused(self, counter: Counter) -> None:
        counter.certificate = b""
        assert refused_lot(counter, authorization_lot(1, [nfe(counter.signer)])) == "280"

    def test_another_encoding_is_refused(self, counter: Counter) -> None:
        body = enclosed(AUTHORIZATION, authorization_lot(1, [nfe(counter.signer)]))
        latin = body.decode().replace('encoding="UTF-8"', 'encoding="ISO-8859-1"', 1).encode("latin-1")
        assert counter.say(place(AUTHORIZATION), latin).code == "402"


class TestReceipt:
    def receipt(self, counter: Counter) -> str:
        said = counter.send(*documents(counter, 3))
        outcome = read_authorization(said.reply.body)
        assert isinstance(outcome, Processing), said.reply.body.decode()
        assert faults(said, Schema.NFE_BATCH_ANSWER) == []
        assert (outcome.code, said.code) == ("103", "103")
        return outcome.receipt

    def ask(self, counter: Counter, receipt: str, authorizer: str = "SP") -> Said:
        said = counter.ask(place(RECEIPT, authorizer), receipt_query("2", receipt))
        assert faults(said, Schema.NFE_RECEIPT_ANSWER) == []
        return said

    def test_several_documents_are_judged_and_told_later(self, counter: Counter) -> None:
        receipt = self.receipt(counter)
        assert receipt == "351000000000001"
        outcome = read_receipt(self.ask(counter, receipt).reply.body)
        assert isinstance(outcome, Processing)
        assert outcome.code == "105"
        counter.now += timedelta(seconds=1)
        said = self.ask(counter, receipt)
        for document in documents(counter, 3):
            assert isinstance(read_receipt(said.reply.body, key_of(document)), Authorized)

    def test_how_long_it_takes_is_a_switch(self, counter: Counter) -> None:
        counter.switches["lot_seconds"] = 0
        assert self.ask(counter, self.receipt(counter)).code == "104"

    def test_one_rejected_document_does_not_hinder_the_others(self, counter: Counter) -> None:
        counter.switches["lot_seconds"] = 0
        good, other = documents(counter, 2)
        bad = mutated(other, says("infNFe/ide/cNF", "11111111"), counter.signer)
        taken = read_authorization(counter.send(good, bad).reply.body)
        assert isinstance(taken, Processing)
        said = self.ask(counter, taken.receipt)
        assert isinstance(read_receipt(said.reply.body, key_of(good)), Authorized)
        assert isinstance(read_receipt(said.reply.body, key_of(bad)), Rejected)

    def test_another_authority_does_not_know_it(self, counter: Counter) -> None:
        receipt = self.receipt(counter)
        counter.switches["rules_off"] = frozenset({"248"})
        assert self.ask(counter, receipt, "SVRS").code == "106"

    def test_a_receipt_of_another_state_is_refused(self, counter: Counter) -> None:
        assert self.ask(counter, "331000000000001").code == "248"

    def test_an_unknown_receipt_decides_nothing(self, counter: Counter) -> None:
        said = self.ask(counter, "351000000000009")
        assert isinstance(read_receipt(said.reply.body), NotJudged)
        assert said.code == "106"

    def test_forty_questions_in_an_hour_are_enough(self, counter: Counter) -> None:
        assert {self.ask(counter, "351000000000009").code for _ in range(40)} == {"106"}
        outcome = read_receipt(self.ask(counter, "351000000000009").reply.body)
        assert isinstance(outcome, Throttled)
        counter.switches["limits"] = False
        assert self.ask(counter, "351000000000009").code == "106"


class TestContingency:
    def test_an_svc_authorises_while_it_is_open(self, counter: Counter) -> None:
        counter.switches["contingency"] = {"SVCAN": Contingency.ON}
        under = replace(OFFLINE, type=EmissionType.SVC_AN, number=3)
        kept = counter.authorised(nfe(counter.signer, under=under), authorizer="SVCAN")
        assert kept.protocol == "635260000000001"

"""NFeConsultaProtocolo4, as our own readers understand it."""

from dataclasses import replace
from datetime import timedelta

import pytest

from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.layouts.nfe_v4.events import Cancellation, OperationConfirmed
from carimbo.fiscal.outcome import Authorized, Canceled, Duplicate, NotJudged, Throttled, Unknown
from carimbo.fiscal.schemas.catalog import Schema
from carimbo.simulator.controls import Contingency
from carimbo.simulator.family import Said
from carimbo.simulator.nfe.dialect import NAMESPACE
from nfe_dialect import read_consult, read_registered_event
from unit.fiscal.goods.support import BUYER_CNPJ, CONTRIBUTOR, ISSUED_AT
from unit.simulator.mutating import nfce, nfe
from unit.simulator.nfe.counter import CONSULT, REASON, Counter, faults, key_of, message_of, place, text_of
from unit.simulator.nfe.registrar import CORRECTION, OFFLINE, UNKNOWN_KEY, altered


def consult(counter: Counter, key: str, authorizer: str = "SP", family: str = "nfe") -> Said:
    """Ask about a key, which may be none."""
    message = (
        f'<consSitNFe xmlns="{NAMESPACE}" versao="4.00"><tpAmb>2</tpAmb><xServ>CONSULTAR</xServ>'
        f"<chNFe>{key}</chNFe></consSitNFe>"
    )
    said = counter.ask(place(CONSULT, authorizer, family), message.encode())
    assert faults(said, Schema.NFE_DOCUMENT_ANSWER) == []
    return said


class TestKnown:
    def test_an_authorised_document_is_told_with_its_protocol(self, counter: Counter) -> None:
        document = nfe(counter.signer)
        kept = counter.authorised(document)
        outcome = read_consult(consult(counter, kept.access_key).reply.body, kept.access_key)
        assert isinstance(outcome, Authorized)
        assert (outcome.code, outcome.protocol, outcome.digest) == ("100", kept.protocol, kept.digest)

    def test_a_late_one_says_so(self, counter: Counter) -> None:
        counter.now = ISSUED_AT + timedelta(days=8)
        kept = counter.authorised(nfe(counter.signer))
        assert consult(counter, kept.access_key).code == "150"

    def test_corrections_are_listed(self, counter: Counter) -> None:
        key = counter.authorised(nfe(counter.signer)).access_key
        counter.tell(counter.event(key, CORRECTION))
        counter.tell(counter.event(key, CORRECTION, sequence=2))
        said = consult(counter, key)
        assert (said.code, len(message_of(said).findall(f"{{{NAMESPACE}}}procEventoNFe"))) == ("100", 2)
        assert isinstance(read_registered_event(said.reply.body, key, "110110", 2), Authorized)
        assert isinstance(read_registered_event(said.reply.body, key, "110110", 3), Unknown)

    def test_a_canceled_document_is_told_with_its_event(self, counter: Counter) -> None:
        kept = counter.authorised(nfe(counter.signer))
        detail = Cancellation(protocol=kept.protocol, reason=REASON)
        counter.tell(counter.event(kept.access_key, detail))
        outcome = read_consult(consult(counter, kept.access_key).reply.body, kept.access_key)
        assert isinstance(outcome, Canceled)
        assert (outcome.code, outcome.protocol) == ("101", "135260000000002")
        assert outcome.authorization
        assert outcome.authorization.protocol == kept.protocol

    def test_one_canceled_late_says_so(self, counter: Counter) -> None:
        kept = counter.authorised(nfe(counter.signer))
        counter.now += timedelta(hours=25)
        detail = Cancellation(protocol=kept.protocol, reason=REASON)
        assert counter.tell(counter.event(kept.access_key, detail)).code == "155"
        assert consult(counter, kept.access_key).code == "151"

    def test_what_the_recipient_said_is_not_told_here(self, counter: Counter, buyer: Counter) -> None:
        key = counter.authorised(nfe(counter.signer, recipient=CONTRIBUTOR)).access_key
        buyer.tell(buyer.event(key, OperationConfirmed(), by=BUYER_CNPJ), "AN")
        assert message_of(consult(counter, key)).find(f"{{{NAMESPACE}}}procEventoNFe") is None

    def test_receipts_are_asked_about_at_their_own_address(self, counter: Counter) -> None:
        key = counter.authorised(nfce(counter.signer), family="nfce").access_key
        assert consult(counter, key, family="nfce").code == "100"
        assert consult(counter, key).code == "450"


class TestUnknown:
    def test_a_document_that_nobody_sent_is_unknown(self, counter: Counter) -> None:
        said = consult(counter, UNKNOWN_KEY)
        assert isinstance(read_consult(said.reply.body, UNKNOWN_KEY), Unknown)
        assert text_of(said, "chNFe") == UNKNOWN_KEY

    @pytest.mark.parametrize(
        ("start", "text", "code"),
        [(35, "12345699", "562"), (4, "10", "561"), (34, "9", "613"), (2, "25", "613")],
    )
    def test_a_number_under_another_key_is_told(
        self, start: int, text: str, code: str, counter: Counter
    ) -> None:
        kept = counter.authorised(nfe(counter.signer))
        counter.switches["rules_off"] = frozenset({"526"})
        outcome = read_consult(consult(counter, altered(kept.access_key, start, text)).reply.body)
        assert isinstance(outcome, Duplicate)
        assert outcome.code == code
        assert outcome.other_key == (kept.access_key if code == "562" else None)

    def test_the_right_key_is_told_to_the_issuer_alone(self, counter: Counter, buyer: Counter) -> None:
        kept = counter.authorised(nfe(counter.signer))
        outcome = read_consult(consult(buyer, altered(kept.access_key, 35, "12345699")).reply.body)
        assert isinstance(outcome, Duplicate)
        assert (outcome.code, outcome.other_key) == ("562", None)

    def test_a_key_that_cannot_be_decides_nothing(self, counter: Counter) -> None:
        said = consult(counter, altered(UNKNOWN_KEY, 4, "13"))
        assert (said.code, text_of(said, "cStat")) == ("616", "616")
        assert isinstance(read_consult(said.reply.body), NotJudged)

    def test_ten_questions_in_an_hour_are_enough(self, counter: Counter, buyer: Counter) -> None:
        assert {consult(counter, UNKNOWN_KEY).code for _ in range(10)} == {"217"}
        said = consult(counter, UNKNOWN_KEY)
        assert isinstance(read_consult(said.reply.body), Throttled)
        assert consult(buyer, UNKNOWN_KEY).code == "217"
        counter.now += timedelta(hours=1, seconds=1)
        assert consult(counter, UNKNOWN_KEY).code == "217"


class TestContingency:
    def test_the_svc_answers_for_what_it_authorised_and_the_state_only_after_it(
        self, counter: Counter
    ) -> None:
        counter.switches["contingency"] = {"SVCAN": Contingency.ON}
        under = replace(OFFLINE, type=EmissionType.SVC_AN, number=3)
        key = key_of(document := nfe(counter.signer, under=under))
        counter.authorised(document, authorizer="SVCAN")
        assert (consult(counter, key, "SVCAN").code, consult(counter, key).code) == ("100", "217")
        counter.switches["contingency"] = {"SVCAN": Contingency.OFF}
        assert (consult(counter, key, "SVCAN").code, consult(counter, key).code) == ("100", "100")

    def test_the_svc_does_not_know_what_the_state_authorised(self, counter: Counter) -> None:
        counter.switches["contingency"] = {"SVCAN": Contingency.ON}
        key = counter.authorised(nfe(counter.signer)).access_key
        assert consult(counter, key, "SVCAN").code == "217"

"""NFeDistribuicaoDFe, as our own reader understands it, and who is told of what."""

from datetime import timedelta

from lxml import etree

from carimbo.fiscal.access_key import AccessKey
from carimbo.fiscal.layouts.nfe_v4.events import (
    Cancellation,
    OperationAcknowledged,
    OperationConfirmed,
    OperationUnknown,
)
from carimbo.fiscal.layouts.sefaz.distribution import DistributionPage
from carimbo.fiscal.outcome import Rejected, Throttled
from carimbo.fiscal.sample_certificate import SampleAuthority
from carimbo.fiscal.schemas.catalog import Schema
from carimbo.fiscal.signature import Signer
from carimbo.simulator.family import Said
from carimbo.simulator.nfe.dialect import NAMESPACE
from carimbo.simulator.nfe.interests import (
    EVENT,
    EVENT_SUMMARY,
    INVOICE,
    INVOICE_SUMMARY,
    Interests,
)
from carimbo.simulator.place import HOMOLOGATION
from nfe_dialect import distribution_at, distribution_of_key, read_distribution
from support import CNPJ
from unit.fiscal.desk import FAR_AWAY, LONG_AGO
from unit.fiscal.goods.support import BUYER_CNPJ, CONTRIBUTOR, CPF, ISSUED_AT
from unit.simulator.mutating import Edit, at, mutated, nfce, nfe
from unit.simulator.nfe.counter import DISTRIBUTION, REASON, Counter, der, faults, place, schema, text_of
from unit.simulator.nfe.registrar import CORRECTION, UNKNOWN_KEY

AT_AN = place(DISTRIBUTION, "AN")
CARRIER = "99888777000100"
ACCOUNTANT = "52998224725"
XSDS = {
    INVOICE: Schema.NFE_AUTHORIZED,
    INVOICE_SUMMARY: Schema.NFE_SUMMARY,
    EVENT_SUMMARY: Schema.NFE_EVENT_SUMMARY,
}


def sold(counter: Counter, edit: Edit | None = None) -> str:
    """The key of an NF-e to the customer, authorised."""
    document = nfe(counter.signer, recipient=CONTRIBUTOR)
    changed = mutated(document, edit, counter.signer) if edit else document
    return counter.authorised(changed).access_key


def page(said: Said) -> DistributionPage:
    """The page of an answer; every document in it must open, and follow the schema that it names."""
    assert faults(said, Schema.NFE_DISTRIBUTION_ANSWER) == []
    found = read_distribution(said.reply.body)
    assert isinstance(found, DistributionPage), said.reply.body.decode()
    for document in found.documents:
        assert document.xml
        if document.schema in XSDS:
            checked = schema(XSDS[document.schema])
            assert checked.validate(etree.fromstring(document.xml)), checked.error_log
    return found


def schemas(counter: Counter, tax_id: str, last_nsu: int = 0) -> list[str]:
    return [document.schema for document in page(counter.distributed(tax_id, last_nsu)).documents]


def by_key(counter: Counter, key: str, tax_id: str = BUYER_CNPJ) -> Said:
    said = counter.ask(AT_AN, distribution_of_key("2", "35", tax_id, AccessKey.parse(key)))
    assert faults(said, Schema.NFE_DISTRIBUTION_ANSWER) == []
    return said


def at_number(counter: Counter, nsu: int) -> Said:
    return counter.ask(AT_AN, distribution_at("2", "35", BUYER_CNPJ, nsu))


def named_others(root: etree._Element) -> None:
    """Let the accountant see the document, and a carrier take the goods."""
    shown = etree.Element(f"{{{NAMESPACE}}}autXML")
    etree.SubElement(shown, f"{{{NAMESPACE}}}CPF").text = ACCOUNTANT
    at(root, "infNFe/dest").addnext(shown)
    at(root, "infNFe/transp/modFrete").text = "0"
    carrier = etree.Element(f"{{{NAMESPACE}}}transporta")
    etree.SubElement(carrier, f"{{{NAMESPACE}}}CNPJ").text = CARRIER
    at(root, "infNFe/transp/modFrete").addnext(carrier)


def told(counter: Counter, taxpayer: str) -> list[str]:
    interests = Interests(counter.store, HOMOLOGATION)
    return [one.schema for one in interests.after(taxpayer, 0, ISSUED_AT - timedelta(days=1))]


class TestInterests:
    def test_the_recipient_gets_a_summary_and_the_issuer_nothing(
        self, counter: Counter, buyer: Counter
    ) -> None:
        key = sold(counter)
        [document] = page(buyer.distributed(BUYER_CNPJ)).documents
        assert (document.nsu, document.schema) == (1, INVOICE_SUMMARY)
        assert key.encode() in (document.xml or b"")
        assert schemas(counter, CNPJ) == []

    def test_whoever_says_that_it_knows_of_a_document_gets_it(self, counter: Counter, buyer: Counter) -> None:
        key = sold(counter)
        buyer.tell(buyer.event(key, OperationAcknowledged(), by=BUYER_CNPJ), "AN")
        buyer.tell(buyer.event(key, OperationConfirmed(), by=BUYER_CNPJ), "AN")
        assert schemas(buyer, BUYER_CNPJ) == [INVOICE_SUMMARY, INVOICE]
        assert schemas(counter, CNPJ) == [EVENT, EVENT]

    def test_whoever_denies_it_does_not(self, counter: Counter, buyer: Counter) -> None:
        key = sold(counter)
        buyer.tell(buyer.event(key, OperationUnknown(), by=BUYER_CNPJ), "AN")
        assert schemas(buyer, BUYER_CNPJ) == [INVOICE_SUMMARY]
        assert schemas(counter, CNPJ) == [EVENT]

    def test_a_cancellation_is_told_to_the_recipient_as_it_is(self, counter: Counter, buyer: Counter) -> None:
        key = sold(counter)
        kept = counter.ledger.document(HOMOLOGATION, key)
        assert kept
        counter.tell(counter.event(key, Cancellation(protocol=kept.protocol, reason=REASON)))
        assert schemas(buyer, BUYER_CNPJ) == [INVOICE_SUMMARY, EVENT]

    def test_a_correction_is_told_as_a_summary_until_the_recipient_says_something(
        self, counter: Counter, buyer: Counter
    ) -> None:
        key = sold(counter)
        counter.tell(counter.event(key, CORRECTION))
        buyer.tell(buyer.event(key, OperationAcknowledged(), by=BUYER_CNPJ), "AN")
        counter.tell(counter.event(key, CORRECTION, sequence=2))
        assert schemas(buyer, BUYER_CNPJ) == [INVOICE_SUMMARY, EVENT_SUMMARY, INVOICE, EVENT]

    def test_carrier_and_accountant_get_the_document_at_once(self, counter: Counter) -> None:
        key = sold(counter, named_others)
        counter.tell(counter.event(key, CORRECTION))
        assert told(counter, CARRIER) == [INVOICE, EVENT]
        assert told(counter, ACCOUNTANT) == [INVOICE, EVENT]

    def test_receipts_concern_nobody(self, counter: Counter) -> None:
        counter.authorised(nfce(counter.signer, recipient={"taxId": CPF}), family="nfce")
        assert told(counter, CPF) == []


class TestPages:
    def fill(self, counter: Counter, count: int) -> None:
        interests = Interests(counter.store, HOMOLOGATION)
        for number in range(count):
            interests.add(BUYER_CNPJ, UNKNOWN_KEY, EVENT, f"<evento>{number}</evento>", counter.now)

    def test_a_page_has_fifty_documents(self, buyer: Counter) -> None:
        self.fill(buyer, 60)
        first = page(buyer.distributed(BUYER_CNPJ))
        assert (first.code, len(first.documents), first.last_nsu, first.max_nsu) == ("138", 50, 50, 60)
        second = page(buyer.distributed(BUYER_CNPJ, first.last_nsu))
        assert [one.nsu for one in second.documents] == list(range(51, 61))
        assert (second.last_nsu, second.max_nsu) == (60, 60)

    def test_when_there_is_nothing_more_an_hour_has_to_pass(self, buyer: Counter) -> None:
        self.fill(buyer, 2)
        nothing = page(buyer.distributed(BUYER_CNPJ, 2))
        assert (nothing.code, nothing.last_nsu, nothing.max_nsu) == ("137", 2, 2)
        said = buyer.distributed(BUYER_CNPJ, 2)
        outcome = read_distribution(said.reply.body)
        assert isinstance(outcome, Throttled)
        assert outcome.last_nsu == 2
        assert faults(said, Schema.NFE_DISTRIBUTION_ANSWER) == []
        buyer.now += timedelta(hours=1, seconds=1)
        assert buyer.distributed(BUYER_CNPJ, 2).code == "137"

    def test_without_limits_nobody_has_to_wait(self, buyer: Counter) -> None:
        buyer.switches["limits"] = False
        assert {buyer.distributed(BUYER_CNPJ).code for _ in range(3)} == {"137"}

    def test_what_is_older_than_ninety_days_is_gone(self, buyer: Counter) -> None:
        self.fill(buyer, 1)
        buyer.now += timedelta(days=91)
        self.fill(buyer, 1)
        assert [one.nsu for one in page(buyer.distributed(BUYER_CNPJ)).documents] == [2]
        assert at_number(buyer, 1).code == "137"

    def test_one_number_may_be_asked_for(self, buyer: Counter) -> None:
        self.fill(buyer, 3)
        found = page(at_number(buyer, 2))
        assert [one.xml for one in found.documents] == [b"<evento>1</evento>"]

    def test_a_number_beyond_the_last_is_refused(self, buyer: Counter) -> None:
        self.fill(buyer, 3)
        assert (at_number(buyer, 4).code, buyer.distributed(BUYER_CNPJ, 4).code) == ("589", "589")


class TestByKey:
    def test_the_recipient_gets_the_summary_and_later_the_document(
        self, counter: Counter, buyer: Counter
    ) -> None:
        key = sold(counter)
        [summary] = page(by_key(buyer, key)).documents
        assert (summary.nsu, summary.schema) == (1, INVOICE_SUMMARY)
        buyer.tell(buyer.event(key, OperationAcknowledged(), by=BUYER_CNPJ), "AN")
        [document] = page(by_key(buyer, key)).documents
        assert (document.nsu, document.schema) == (2, INVOICE)

    def test_the_issuer_is_refused(self, counter: Counter) -> None:
        said = by_key(counter, sold(counter), CNPJ)
        assert said.code == "641"
        assert isinstance(read_distribution(said.reply.body), Rejected)
        assert text_of(said, "xMotivo") == "Rejeição: NF-e indisponível para o emitente"

    def test_twenty_keys_in_an_hour_are_enough(self, counter: Counter, buyer: Counter) -> None:
        key = sold(counter)
        assert {by_key(buyer, key).code for _ in range(20)} == {"138"}
        assert isinstance(read_distribution(by_key(buyer, key).reply.body), Throttled)


class TestWho:
    def test_a_branch_may_ask_for_another(self, counter: Counter) -> None:
        assert counter.distributed("11222333000262").code == "137"

    def test_a_person_asks_for_itself(
        self, counter: Counter, authority: SampleAuthority, signer: Signer
    ) -> None:
        person = authority.issue_person(CPF, "MARIA DA SILVA", LONG_AGO, FAR_AWAY)
        own = Counter(counter.store, counter.trust, signer, der(person))
        assert own.distributed(CPF).code == "137"

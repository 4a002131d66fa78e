"""NFeDistribuicaoDFe, read by our own client, and who receives which documents."""

from datetime import timedelta

from lxml import etree

from carimbo.fiscal.distribution import DistributionPage
from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.nfe_v4.events import (
    Cancellation,
    OperationAcknowledged,
    OperationConfirmed,
    OperationUnknown,
)
from carimbo.fiscal.outcome import Rejected, Throttled
from carimbo.fiscal.sample_certificate import SampleAuthority
from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.distribution_sequence import DistributionSequence
from carimbo.simulator.family import HOMOLOGATION, CallReply
from carimbo.simulator.nfe.dialect import NAMESPACE
from carimbo.simulator.nfe.distribution_sequence import (
    EVENT,
    EVENT_SUMMARY,
    INVOICE,
    INVOICE_SUMMARY,
)
from nfe_dialect import distribution_at, distribution_of_key, read_distribution
from support import CNPJ
from unit.fiscal.command_files import FAR_AWAY, LONG_AGO
from unit.fiscal.goods.support import BUYER_CNPJ, CONTRIBUTOR, CPF, ISSUED_AT
from unit.simulator.mutating import Edit, at, mutated, nfce, nfe
from unit.simulator.nfe.event_scenario import CORRECTION, UNKNOWN_KEY
from unit.simulator.nfe.sefaz_client import (
    DISTRIBUTION,
    REASON,
    SefazClient,
    der,
    schema,
    schema_errors,
    service_path,
    text_of,
)

AT_AN = service_path(DISTRIBUTION, "AN")
CARRIER = "99888777000100"
ACCOUNTANT = "52998224725"
XSDS = {
    INVOICE: Schema.NFE_AUTHORIZED,
    INVOICE_SUMMARY: Schema.NFE_SUMMARY,
    EVENT_SUMMARY: Schema.NFE_EVENT_SUMMARY,
}


def sold(client: SefazClient, edit: Edit | None = None) -> str:
    """Returns the key of an authorized NF-e to the customer."""
    document = nfe(client.signer, recipient=CONTRIBUTOR)
    changed = mutated(document, edit, client.signer) if edit else document
    return client.authorized(changed).access_key


def page(answer: CallReply) -> DistributionPage:
    """Returns the page of an answer, after checking that its documents follow their schemas."""
    assert schema_errors(answer, Schema.NFE_DISTRIBUTION_ANSWER) == []
    distribution_page = read_distribution(answer.reply.body)
    assert isinstance(distribution_page, DistributionPage), answer.reply.body.decode()
    for document, xml in zip(distribution_page.documents, distribution_page.contents(), strict=True):
        assert xml
        if document.schema in XSDS:
            checked = schema(XSDS[document.schema])
            assert checked.validate(etree.fromstring(xml)), checked.error_log
    return distribution_page


def schemas(client: SefazClient, tax_id: str, last_nsu: int = 0) -> list[str]:
    return [document.schema for document in page(client.distributed(tax_id, last_nsu)).documents]


def by_key(client: SefazClient, key: str, tax_id: str = BUYER_CNPJ) -> CallReply:
    answer = client.ask(AT_AN, distribution_of_key("2", "35", tax_id, AccessKey.parse(key)))
    assert schema_errors(answer, Schema.NFE_DISTRIBUTION_ANSWER) == []
    return answer


def at_number(client: SefazClient, nsu: int) -> CallReply:
    return client.ask(AT_AN, distribution_at("2", "35", BUYER_CNPJ, nsu))


def named_others(root: etree._Element) -> None:
    """Adds an accountant who may see the document, and a carrier."""
    shown = etree.Element(f"{{{NAMESPACE}}}autXML")
    etree.SubElement(shown, f"{{{NAMESPACE}}}CPF").text = ACCOUNTANT
    at(root, "infNFe/dest").addnext(shown)
    at(root, "infNFe/transp/modFrete").text = "0"
    carrier = etree.Element(f"{{{NAMESPACE}}}transporta")
    etree.SubElement(carrier, f"{{{NAMESPACE}}}CNPJ").text = CARRIER
    at(root, "infNFe/transp/modFrete").addnext(carrier)


def schemas_for(client: SefazClient, taxpayer: str) -> list[str]:
    interests = DistributionSequence(client.store, HOMOLOGATION, "nfe")
    return [document.schema for document in interests.after(taxpayer, 0, ISSUED_AT - timedelta(days=1))]


class TestInterests:
    def test_recipient_gets_a_summary_and_the_issuer_nothing(
        self, client: SefazClient, buyer: SefazClient
    ) -> None:
        key = sold(client)
        distributed = page(buyer.distributed(BUYER_CNPJ))
        [document], [xml] = distributed.documents, distributed.contents()
        assert (document.nsu, document.schema) == (1, INVOICE_SUMMARY)
        assert key.encode() in (xml or b"")
        assert schemas(client, CNPJ) == []

    def test_recipient_who_acknowledges_a_document_gets_it(
        self, client: SefazClient, buyer: SefazClient
    ) -> None:
        key = sold(client)
        buyer.send_event(buyer.event(key, OperationAcknowledged(), by=BUYER_CNPJ), "AN")
        buyer.send_event(buyer.event(key, OperationConfirmed(), by=BUYER_CNPJ), "AN")
        assert schemas(buyer, BUYER_CNPJ) == [INVOICE_SUMMARY, INVOICE]
        assert schemas(client, CNPJ) == [EVENT, EVENT]

    def test_recipient_who_denies_a_document_does_not_get_it(
        self, client: SefazClient, buyer: SefazClient
    ) -> None:
        key = sold(client)
        buyer.send_event(buyer.event(key, OperationUnknown(), by=BUYER_CNPJ), "AN")
        assert schemas(buyer, BUYER_CNPJ) == [INVOICE_SUMMARY]
        assert schemas(client, CNPJ) == [EVENT]

    def test_recipient_gets_a_cancellation_in_full(self, client: SefazClient, buyer: SefazClient) -> None:
        key = sold(client)
        kept = client.ledger.document(HOMOLOGATION, key)
        assert kept
        client.send_event(client.event(key, Cancellation(protocol=kept.protocol, reason=REASON)))
        assert schemas(buyer, BUYER_CNPJ) == [INVOICE_SUMMARY, EVENT]

    def test_recipient_gets_corrections_as_summaries_until_it_manifests(
        self, client: SefazClient, buyer: SefazClient
    ) -> None:
        key = sold(client)
        client.send_event(client.event(key, CORRECTION))
        buyer.send_event(buyer.event(key, OperationAcknowledged(), by=BUYER_CNPJ), "AN")
        client.send_event(client.event(key, CORRECTION, sequence=2))
        assert schemas(buyer, BUYER_CNPJ) == [INVOICE_SUMMARY, EVENT_SUMMARY, INVOICE, EVENT]

    def test_carrier_and_accountant_get_the_document_at_once(self, client: SefazClient) -> None:
        key = sold(client, named_others)
        client.send_event(client.event(key, CORRECTION))
        assert schemas_for(client, CARRIER) == [INVOICE, EVENT]
        assert schemas_for(client, ACCOUNTANT) == [INVOICE, EVENT]

    def test_receipts_are_not_distributed(self, client: SefazClient) -> None:
        client.authorized(nfce(client.signer, recipient={"taxId": CPF}), family="nfce")
        assert schemas_for(client, CPF) == []


def fill(client: SefazClient, count: int) -> None:
    """Adds entries to the sequence of the customer."""
    interests = DistributionSequence(client.store, HOMOLOGATION, "nfe")
    for number in range(count):
        interests.add(BUYER_CNPJ, UNKNOWN_KEY, EVENT, f"<evento>{number}</evento>", client.now)


class TestPages:
    def test_page_has_fifty_documents(self, buyer: SefazClient) -> None:
        fill(buyer, 60)
        first = page(buyer.distributed(BUYER_CNPJ))
        assert (first.code, len(first.documents), first.last_nsu, first.max_nsu) == ("138", 50, 50, 60)
        second = page(buyer.distributed(BUYER_CNPJ, first.last_nsu))
        assert [document.nsu for document in second.documents] == list(range(51, 61))
        assert (second.last_nsu, second.max_nsu) == (60, 60)

    def test_pages_can_be_made_smaller(self, buyer: SefazClient) -> None:
        fill(buyer, 4)
        buyer.switches["distribution_page"] = 3
        first = page(buyer.distributed(BUYER_CNPJ))
        assert (len(first.documents), first.last_nsu, first.max_nsu) == (3, 3, 4)
        assert len(page(buyer.distributed(BUYER_CNPJ, 3)).documents) == 1

    def test_query_without_news_is_throttled_for_an_hour(self, buyer: SefazClient) -> None:
        fill(buyer, 2)
        nothing = page(buyer.distributed(BUYER_CNPJ, 2))
        assert (nothing.code, nothing.last_nsu, nothing.max_nsu) == ("137", 2, 2)
        answer = buyer.distributed(BUYER_CNPJ, 2)
        outcome = read_distribution(answer.reply.body)
        assert isinstance(outcome, Throttled)
        assert outcome.last_nsu == 2
        assert schema_errors(answer, Schema.NFE_DISTRIBUTION_ANSWER) == []
        buyer.now += timedelta(hours=1, seconds=1)
        assert buyer.distributed(BUYER_CNPJ, 2).code == "137"

    def test_queries_are_not_throttled_without_limits(self, buyer: SefazClient) -> None:
        buyer.switches["limits"] = False
        assert {buyer.distributed(BUYER_CNPJ).code for _ in range(3)} == {"137"}

    def test_documents_older_than_ninety_days_are_not_distributed(self, buyer: SefazClient) -> None:
        fill(buyer, 1)
        buyer.now += timedelta(days=91)
        fill(buyer, 1)
        assert [document.nsu for document in page(buyer.distributed(BUYER_CNPJ)).documents] == [2]
        assert at_number(buyer, 1).code == "137"

    def test_single_number_can_be_queried(self, buyer: SefazClient) -> None:
        fill(buyer, 3)
        answer = page(at_number(buyer, 2))
        assert list(answer.contents()) == [b"<evento>1</evento>"]

    def test_number_beyond_the_last_is_refused(self, buyer: SefazClient) -> None:
        fill(buyer, 3)
        assert (at_number(buyer, 4).code, buyer.distributed(BUYER_CNPJ, 4).code) == ("589", "589")


class TestByKey:
    def test_query_by_key_returns_the_summary_and_later_the_document(
        self, client: SefazClient, buyer: SefazClient
    ) -> None:
        key = sold(client)
        [summary] = page(by_key(buyer, key)).documents
        assert (summary.nsu, summary.schema) == (1, INVOICE_SUMMARY)
        buyer.send_event(buyer.event(key, OperationAcknowledged(), by=BUYER_CNPJ), "AN")
        [document] = page(by_key(buyer, key)).documents
        assert (document.nsu, document.schema) == (2, INVOICE)

    def test_issuer_may_not_query_by_key(self, client: SefazClient) -> None:
        answer = by_key(client, sold(client), CNPJ)
        assert answer.code == "641"
        assert isinstance(read_distribution(answer.reply.body), Rejected)
        assert text_of(answer, "xMotivo") == "Rejeição: NF-e indisponível para o emitente"


class TestCallers:
    def test_company_may_query_for_its_branch(self, client: SefazClient) -> None:
        assert client.distributed("11222333000262").code == "137"

    def test_person_may_query_for_itself(
        self, client: SefazClient, authority: SampleAuthority, signer: Signer
    ) -> None:
        person = authority.issue_person(CPF, "MARIA DA SILVA", LONG_AGO, FAR_AWAY)
        own = SefazClient(client.store, client.trust, signer, der(person))
        assert own.distributed(CPF).code == "137"

"""CTeDistribuicaoDFe: who receives which documents and events."""

import gzip
from base64 import b64decode
from dataclasses import replace
from datetime import UTC, timedelta

from lxml import etree

from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.cte.dialect import NAMESPACE
from carimbo.simulator.cte.distribution import DOCUMENTS, EVENT, FAMILY
from carimbo.simulator.distribution_sequence import DistributionSequence
from carimbo.simulator.family import HOMOLOGATION, CallReply
from unit.fiscal.goods.support import ISSUED_AT
from unit.simulator.cte.bases import ALL_PARTIES, NORMAL, other_taker
from unit.simulator.cte.cte_client import (
    DISAGREEMENT,
    DISTRIBUTION,
    CteClient,
    correction,
    distribution_query,
    service_path,
    text_of,
)
from unit.simulator.cte.sample_cte import CARRIER, DEPOT, RECIPIENT, SENDER, cte
from unit.simulator.mutating import both
from unit.simulator.nfe.sefaz_client import message_of, schema_errors
from unit.simulator.rule_tester import schema_errors as xsd_errors
from unit.simulator.rules.edits import grown

DOCUMENT = DOCUMENTS["57"]
READER = "44455566000183"
EVERY_PARTY = both(
    ALL_PARTIES, other_taker(CARRIER), grown(NORMAL, f"<autXML><CNPJ>{READER}</CNPJ></autXML>")
)


def entries(answer: CallReply) -> list[tuple[str, bytes]]:
    """Returns the schema and the XML of each document of a page."""
    assert schema_errors(answer, Schema.CTE_DISTRIBUTION_ANSWER) == []
    zipped = message_of(answer).iter(f"{{{NAMESPACE}}}docZip")
    return [(entry.get("schema", ""), gzip.decompress(b64decode(entry.text or ""))) for entry in zipped]


def schemas_for(client: CteClient, tax_id: str) -> list[str]:
    sequence = DistributionSequence(client.store, HOMOLOGATION, FAMILY)
    return [entry.schema for entry in sequence.after(tax_id, 0, ISSUED_AT - timedelta(days=1))]


class TestDistribution:
    def test_every_party_except_the_issuer_gets_the_whole_document(self, client: CteClient) -> None:
        client.authorized(cte(client.signer, EVERY_PARTY))
        for tax_id in (SENDER, RECIPIENT, DEPOT, CARRIER, READER):
            assert schemas_for(client, tax_id) == [DOCUMENT]
        assert schemas_for(client, client.tax_id) == []

    def test_document_is_distributed_with_its_protocol(self, client: CteClient, taker: CteClient) -> None:
        stored = client.authorized(cte(client.signer))
        answer = taker.distributed()
        [(schema, xml)] = entries(answer)
        assert (answer.code, schema, text_of(answer, "ultNSU")) == ("138", DOCUMENT, "000000000000001")
        assert xsd_errors(Schema.CTE_AUTHORIZED, xml) == []
        assert stored.protocol.encode() in xml

    def test_parties_get_events_of_the_issuer(self, client: CteClient, taker: CteClient) -> None:
        key = client.authorized(cte(client.signer)).access_key
        client.send_event(key, correction())
        assert [schema for schema, _ in entries(taker.distributed(1))] == [EVENT]
        assert schemas_for(client, client.tax_id) == []

    def test_issuer_gets_events_of_others(self, client: CteClient, taker: CteClient) -> None:
        key = client.authorized(cte(client.signer)).access_key
        taker.send_event(key, DISAGREEMENT)
        [(schema, xml)] = entries(client.distributed())
        assert schema == EVENT
        assert etree.fromstring(xml).tag == f"{{{NAMESPACE}}}procEventoCTe"
        assert schemas_for(client, SENDER) == [DOCUMENT]

    def test_entry_is_found_by_its_number(self, client: CteClient, taker: CteClient) -> None:
        client.authorized(cte(client.signer))
        question = distribution_query(SENDER, "<consNSU><NSU>000000000000001</NSU></consNSU>")
        answer = taker.ask(service_path(DISTRIBUTION, "AN"), question)
        assert [schema for schema, _ in entries(answer)] == [DOCUMENT]

    def test_question_by_key_is_refused(self, client: CteClient) -> None:
        question = distribution_query(client.tax_id, "<consChCTe><chCTe>1</chCTe></consChCTe>")
        assert client.ask(service_path(DISTRIBUTION, "AN"), question).code == "215"

    def test_question_within_an_hour_of_an_empty_answer_is_refused_with_the_code_of_nfe(
        self, client: CteClient
    ) -> None:
        assert client.distributed().code == "137"
        refused = client.distributed()
        assert (refused.code, refused.message.startswith("Rejeição: Consumo")) == ("656", True)
        assert schema_errors(refused, Schema.CTE_DISTRIBUTION_ANSWER) == []
        assert text_of(refused, "maxNSU") == "000000000000000"
        later = replace(client, now=ISSUED_AT + timedelta(minutes=61))
        assert later.distributed().code == "137"

    def test_lost_page_cannot_be_read_again(self, client: CteClient, taker: CteClient) -> None:
        client.authorized(cte(client.signer))
        assert taker.distributed().code == "138"
        refused = taker.distributed()
        assert refused.message.endswith(
            "(Deve ser utilizado o ultNSU nas solicitacoes subsequentes. Tente apos 1 hora)"
        )
        assert text_of(refused, "ultNSU") == "000000000000001"

    def test_reader_that_stopped_asking_for_60_days_gets_nothing_more(
        self, client: CteClient, taker: CteClient
    ) -> None:
        assert taker.distributed().code == "137"
        idle_since = (client.now - timedelta(days=61)).astimezone(UTC).isoformat(timespec="microseconds")
        client.store.connection.execute("update distribution_readers set asked_at = ?", (idle_since,))
        client.authorized(cte(client.signer))
        assert schemas_for(client, SENDER) == []

"""The services of CT-e OS at each authority: reception, consults, events, distribution and contingency."""

from dataclasses import replace
from datetime import timedelta

import pytest
from lxml import etree

from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.controls import ContingencySwitch
from carimbo.simulator.cte.dialect import NAMESPACE, OS_DIALECT
from carimbo.simulator.cte.distribution import DOCUMENTS, EVENT
from carimbo.simulator.cte.family import CTE_FAMILY, CTE_OS_FAMILY
from carimbo.simulator.family import HOMOLOGATION, IncomingCall
from unit.simulator.cte.bases import NORMAL
from unit.simulator.cte.cte_client import (
    CONSULT,
    DISAGREEMENT,
    DISTRIBUTION,
    OS_RECEPTION,
    RECEPTION,
    STATUS,
    CteClient,
    correction,
    enclosed,
    text_of,
)
from unit.simulator.cte.sample_cte import SENDER, cte
from unit.simulator.cte.test_distribution import entries, schemas_for
from unit.simulator.cteos.bases import COMPLEMENT, SUBSTITUTION
from unit.simulator.cteos.sample_cteos import cteos, key_of
from unit.simulator.mutating import says
from unit.simulator.nfe.sefaz_client import schema_errors
from unit.simulator.rule_tester import schema_errors as xsd_errors
from unit.simulator.rules.edits import grown

READER = "44455566000183"
AT_THE_SVC = says("infCte/ide/tpEmis", "7")


class TestServices:
    @pytest.mark.parametrize(
        ("authorizer", "service", "is_there"),
        [
            ("SP", OS_RECEPTION, True),
            ("SP", CONSULT, True),
            ("SP", STATUS, True),
            ("SVRS", "CTeRecepcaoEventoV4", True),
            ("SVSP", OS_RECEPTION, True),
            ("SP", RECEPTION, False),
            ("AN", DISTRIBUTION, False),
        ],
    )
    def test_each_authority_has_its_own_services(
        self, authorizer: str, service: str, is_there: bool, client: CteClient
    ) -> None:
        assert (CTE_OS_FAMILY.describe(client.path(service, authorizer), "") is not None) == is_there

    def test_free_texts_and_the_name_of_the_taker_can_have_triggers(self, client: CteClient) -> None:
        body = enclosed(OS_RECEPTION, cteos(client.signer, notes="SAIDA AS OITO"))
        incoming = client.read_call(client.path(OS_RECEPTION), body)
        assert isinstance(incoming, IncomingCall)
        assert incoming.texts == ("TRANSPORTE", "SAIDA AS OITO", "TOMADORA LTDA", "FRETAMENTO EVENTUAL")
        assert (incoming.subject, incoming.keys) == (key_of(), (key_of(),))

    def test_reception_has_its_own_form_of_refusal(self, client: CteClient) -> None:
        for code in ("108", "678", "999"):
            refused = client.refused(client.path(OS_RECEPTION), cteos(client.signer), code)
            assert (refused.code, schema_errors(refused, Schema.CTE_OS_ANSWER)) == (code, [])
        assert client.ledger.documents() == []


class TestReception:
    def test_zipped_document_is_authorized_and_stored(self, client: CteClient) -> None:
        answer = client.send(cteos(client.signer))
        assert schema_errors(answer, Schema.CTE_OS_ANSWER) == []
        assert b"<cteRecepcaoOSResult " in answer.reply.body
        assert (answer.code, text_of(answer, "cStat"), text_of(answer, "cUF")) == ("100", "100", "35")
        stored = client.ledger.document(HOMOLOGATION, key_of())
        assert stored is not None
        assert (stored.protocol, stored.recipient) == ("135260000000001", SENDER)
        archived = CTE_OS_FAMILY.archived_document(stored)
        assert archived is not None
        assert archived.startswith(b"<cteOSProc ")
        assert xsd_errors(Schema.CTE_OS_AUTHORIZED, archived) == []
        assert CTE_FAMILY.archived_document(stored) is None

    def test_same_number_may_be_a_cte_too(self, client: CteClient) -> None:
        replace(client, family=CTE_FAMILY).authorized(cte(client.signer))
        assert client.send(cteos(client.signer)).code == "100"
        assert client.send(cteos(client.signer)).code == "204"

    def test_cte_is_refused_by_the_xsd(self, client: CteClient) -> None:
        assert client.send(cte(client.signer)).code == "215"

    @pytest.mark.parametrize(
        ("old", "new", "code"),
        [
            (b'<infCte versao="4.00"', b'<infCte versao="3.00"', "239"),
            (b"<CTeOS xmlns", b'<CTeOS versao="3.00" xmlns', "243"),
            (b"<mod>67<", b"<mod>57<", "215"),
        ],
    )
    def test_misformed_message_is_refused(self, old: bytes, new: bytes, code: str, client: CteClient) -> None:
        answer = client.send(cteos(client.signer).replace(old, new))
        assert (answer.code, b"protCTe" in answer.reply.body) == (code, False)
        assert schema_errors(answer, Schema.CTE_OS_ANSWER) == []

    def test_complement_and_substitution_refer_to_their_original(
        self, client: CteClient, taker: CteClient
    ) -> None:
        original = client.authorized(cteos(client.signer))
        complement = client.authorized(cteos(client.signer, COMPLEMENT, number=2))
        assert client.ledger.referring_to(HOMOLOGATION, original.access_key) == [complement]
        assert client.cancel(original).code == "660"
        assert client.cancel(complement).code == "135"
        assert client.send(cteos(client.signer, SUBSTITUTION, number=3)).code == "739"
        assert taker.send_event(original.access_key, DISAGREEMENT).code == "135"
        substitution = client.authorized(cteos(client.signer, SUBSTITUTION, number=3))
        assert client.cancel(original).code == "576"
        assert client.cancel(substitution).code == "574"


class TestQuestionsAndEvents:
    def test_canceled_document_is_consulted_with_its_event(self, client: CteClient) -> None:
        stored = client.authorized(cteos(client.signer))
        assert client.consult(stored.access_key).code == "100"
        assert client.cancel(stored).code == "135"
        answer = client.consult(stored.access_key)
        assert answer.code == "101"
        assert b"<procEventoCTe " in answer.reply.body

    def test_consult_services_of_both_families_find_the_document(self, client: CteClient) -> None:
        stored = client.authorized(cteos(client.signer))
        assert replace(client, family=CTE_FAMILY).consult(stored.access_key).code == "100"

    def test_cancellation_after_168_hours_is_refused(self, client: CteClient) -> None:
        stored = client.authorized(cteos(client.signer))
        client.now += timedelta(hours=168, seconds=1)
        assert client.cancel(stored).code == "220"

    @pytest.mark.parametrize(
        ("group", "name", "code"),
        [("infServico", "xDescServ", "135"), ("toma", "CNPJ", "681"), ("vPrest", "vTPrest", "681")],
    )
    def test_correction_leaves_taker_and_amounts(
        self, group: str, name: str, code: str, client: CteClient
    ) -> None:
        key = client.authorized(cteos(client.signer)).access_key
        assert client.send_event(key, correction(group, name, "1")).code == code

    def test_only_the_taker_disagrees(self, client: CteClient, taker: CteClient) -> None:
        key = client.authorized(cteos(client.signer)).access_key
        assert client.send_event(key, DISAGREEMENT).code == "755"
        assert taker.send_event(key, DISAGREEMENT).code == "135"

    def test_status_is_in_service(self, client: CteClient) -> None:
        assert client.status().code == "107"
        assert client.status("35", "SVRS").code == "114"


class TestContingency:
    def test_document_of_the_svc_is_consulted_and_canceled_there(self, client: CteClient) -> None:
        document = cteos(client.signer, AT_THE_SVC)
        assert client.send(document, "SVRS").code == "114"
        client.switches["contingency"] = {"SVRS": ContingencySwitch.ON}
        stored = client.authorized(document, "SVRS")
        assert client.consult(stored.access_key, "SP").code == "217"
        assert client.send_event(stored.access_key, correction(), authorizer="SVRS").code == "530"
        assert client.cancel(stored, "SVRS").code == "135"


class TestDistribution:
    def test_taker_and_readers_get_the_document_in_the_sequence_of_cte(
        self, client: CteClient, taker: CteClient
    ) -> None:
        reader = grown(NORMAL, f"<autXML><CNPJ>{READER}</CNPJ></autXML>")
        client.authorized(cteos(client.signer, reader))
        assert schemas_for(client, READER) == [DOCUMENTS["67"]]
        assert schemas_for(client, client.tax_id) == []
        [(schema, xml)] = entries(replace(taker, family=CTE_FAMILY).distributed())
        assert (schema, xsd_errors(Schema.CTE_OS_AUTHORIZED, xml)) == ("procCTeOS_v4.00.xsd", [])

    def test_parties_get_the_events_of_each_other(self, client: CteClient, taker: CteClient) -> None:
        key = client.authorized(cteos(client.signer)).access_key
        client.send_event(key, correction())
        taker.send_event(key, DISAGREEMENT)
        assert schemas_for(client, SENDER) == [DOCUMENTS["67"], EVENT]
        assert schemas_for(client, client.tax_id) == [EVENT]


class TestNonsense:
    @pytest.mark.parametrize("inside", ["", "<infCte/>", "<infCte Id='x'><ide><cUF>99</cUF></ide></infCte>"])
    def test_nonsense_message_is_refused_with_a_code(self, inside: str, client: CteClient) -> None:
        message = f'<CTeOS xmlns="{NAMESPACE}" versao="4.00">{inside}</CTeOS>'
        answer = client.send(message.encode())
        etree.fromstring(answer.reply.body)
        assert OS_DIALECT.is_rejection(answer.code)

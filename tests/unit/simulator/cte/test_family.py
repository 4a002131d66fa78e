"""The services of CT-e at each authority: reception, consults, events, read calls and refusals."""

from datetime import timedelta
from itertools import product

import pytest
from lxml import etree

from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.controls import ContingencySwitch
from carimbo.simulator.cte.dialect import DIALECT, NAMESPACE
from carimbo.simulator.cte.family import CTE_FAMILY, SERVICES
from carimbo.simulator.family import HOMOLOGATION, IncomingCall
from carimbo.simulator.ledger import DocumentStatus
from support import CNPJ
from unit.simulator.cte.bases import COMPLEMENT, SUBSTITUTION
from unit.simulator.cte.cte_client import (
    CONSULT,
    DISAGREEMENT,
    DISTRIBUTION,
    EVENT,
    OS_RECEPTION,
    REASON,
    RECEPTION,
    STATUS,
    CteClient,
    cancellation,
    consult_query,
    correction,
    distribution_query,
    enclosed,
    service_path,
    status_query,
    text_of,
)
from unit.simulator.cte.sample_cte import NAME, cte, key_of
from unit.simulator.mutating import says
from unit.simulator.nfe.sefaz_client import schema_errors

ANSWERS = {
    RECEPTION: Schema.CTE_ANSWER,
    CONSULT: Schema.CTE_DOCUMENT_ANSWER,
    STATUS: Schema.CTE_SERVICE_ANSWER,
    EVENT: Schema.CTE_EVENT_ANSWER,
    DISTRIBUTION: Schema.CTE_DISTRIBUTION_ANSWER,
}
NOTHING_NEW = "<distNSU><ultNSU>000000000000000</ultNSU></distNSU>"
AT_THE_SVC = says("infCte/ide/tpEmis", "7")


def authorizer_of(service: str) -> str:
    return "AN" if service == DISTRIBUTION else "SP"


def message_to(service: str, client: CteClient) -> bytes:
    """Returns a valid message to a service."""
    return {
        RECEPTION: cte(client.signer),
        CONSULT: consult_query(key_of()),
        STATUS: status_query(),
        EVENT: client.signed_event(key_of(), cancellation("135260000000001")),
        DISTRIBUTION: distribution_query(CNPJ, NOTHING_NEW),
    }[service]


class TestServices:
    def test_every_service_is_tested_here(self) -> None:
        assert {service.name for service in SERVICES.by_name.values()} == {*ANSWERS, OS_RECEPTION}

    @pytest.mark.parametrize(
        ("authorizer", "service", "is_there"),
        [
            ("SP", RECEPTION, True),
            ("SVSP", RECEPTION, True),
            ("SVRS", EVENT, True),
            ("AN", DISTRIBUTION, True),
            ("AN", RECEPTION, False),
            ("SP", DISTRIBUTION, False),
            ("SP", OS_RECEPTION, False),
            ("SVCAN", RECEPTION, False),
        ],
    )
    def test_each_authority_has_its_own_services(self, authorizer: str, service: str, is_there: bool) -> None:
        assert (CTE_FAMILY.describe(service_path(service, authorizer), "") is not None) == is_there

    def test_subject_of_a_call_identifies_it(self, client: CteClient) -> None:
        subjects = {}
        for service in ANSWERS:
            body = enclosed(service, message_to(service, client))
            incoming = client.read_call(service_path(service, authorizer_of(service)), body)
            assert isinstance(incoming, IncomingCall)
            subjects[service] = incoming.subject
        assert subjects == {
            RECEPTION: key_of(),
            CONSULT: key_of(),
            STATUS: "SP",
            EVENT: f"ID110111{key_of()}001",
            DISTRIBUTION: f"{CNPJ} distNSU",
        }

    def test_free_texts_and_names_of_parties_can_have_triggers(self, client: CteClient) -> None:
        body = enclosed(RECEPTION, cte(client.signer, notes="ENTREGAR A TARDE"))
        incoming = client.read_call(service_path(RECEPTION), body)
        assert isinstance(incoming, IncomingCall)
        assert incoming.texts == ("TRANSPORTE", "ENTREGAR A TARDE", NAME, NAME, "ELETRONICOS")
        assert incoming.keys == (key_of(),)

    def test_reasons_and_corrections_can_have_triggers(self, client: CteClient) -> None:
        texts: list[str] = []
        for payload in (cancellation("135260000000001"), correction(), DISAGREEMENT):
            event = client.signed_event(key_of(), payload)
            incoming = client.read_call(service_path(EVENT), enclosed(EVENT, event))
            assert isinstance(incoming, IncomingCall)
            texts.extend(incoming.texts)
        assert texts == [REASON, "ENTREGAR PELA MANHA", "VALOR DIFERENTE DO COMBINADO"]

    @pytest.mark.parametrize("service", ANSWERS)
    def test_every_service_has_its_own_form_of_refusal(self, service: str, client: CteClient) -> None:
        where, message = service_path(service, authorizer_of(service)), message_to(service, client)
        refusals = {code: client.refused(where, message, code) for code in ("108", "109", "678", "999")}
        answers = {
            code: (answer.code, schema_errors(answer, ANSWERS[service])) for code, answer in refusals.items()
        }
        assert answers == {code: (code, []) for code in refusals}
        assert client.ledger.documents() == []


class TestReception:
    def test_zipped_document_is_authorized_and_stored(self, client: CteClient) -> None:
        answer = client.send(cte(client.signer))
        assert schema_errors(answer, Schema.CTE_ANSWER) == []
        assert b"<cteRecepcaoResult " in answer.reply.body
        assert (answer.code, text_of(answer, "cStat"), text_of(answer, "cUF")) == ("100", "100", "35")
        stored = client.ledger.document(HOMOLOGATION, key_of())
        assert stored is not None
        assert text_of(answer, "protCTe/infProt/nProt") == stored.protocol == "135260000000001"
        archived = CTE_FAMILY.archived_document(stored)
        assert archived is not None
        assert archived.startswith(b"<cteProc ")

    def test_rejected_document_is_answered_with_its_key(self, client: CteClient) -> None:
        answer = client.send(cte(client.signer, says("infCte/ide/CFOP", "6102")))
        assert schema_errors(answer, Schema.CTE_ANSWER) == []
        assert (answer.code, text_of(answer, "protCTe/infProt/chCTe")) == ("676", key_of())
        assert client.ledger.documents() == []

    def test_message_that_is_not_zipped_is_refused_without_a_protocol(self, client: CteClient) -> None:
        body = enclosed(CONSULT, b"not zipped").replace(CONSULT.encode(), RECEPTION.encode())
        answer = client.send_body(service_path(RECEPTION), body)
        assert (answer.code, b"protCTe" in answer.reply.body) == ("244", False)
        assert schema_errors(answer, Schema.CTE_ANSWER) == []

    def test_message_that_is_not_xml_is_refused(self, client: CteClient) -> None:
        assert client.send(b"<CTe").code == "243"

    def test_same_document_again_is_refused_with_its_protocol(self, client: CteClient) -> None:
        document = cte(client.signer)
        stored = client.authorized(document)
        answer = client.send(document)
        assert (answer.code, f"[nProt:{stored.protocol}]" in answer.message) == ("204", True)

    def test_complement_and_substitution_refer_to_their_original(
        self, client: CteClient, taker: CteClient
    ) -> None:
        original = client.authorized(cte(client.signer))
        complement = client.authorized(cte(client.signer, COMPLEMENT, number=2))
        assert client.ledger.referring_to(HOMOLOGATION, original.access_key) == [complement]
        assert client.cancel(original).code == "660"
        assert client.cancel(complement).code == "135"
        assert client.send(cte(client.signer, SUBSTITUTION, number=3)).code == "739"
        assert taker.send_event(original.access_key, DISAGREEMENT).code == "135"
        substitution = client.authorized(cte(client.signer, SUBSTITUTION, number=3))
        assert client.cancel(original).code == "576"
        assert client.cancel(substitution).code == "574"


class TestConsult:
    def test_authorized_document_is_answered_with_its_protocol(self, client: CteClient) -> None:
        stored = client.authorized(cte(client.signer))
        answer = client.consult(stored.access_key)
        assert (answer.code, text_of(answer, "protCTe/infProt/nProt")) == ("100", stored.protocol)
        assert schema_errors(answer, Schema.CTE_DOCUMENT_ANSWER) == []

    def test_canceled_document_is_answered_with_its_event(self, client: CteClient) -> None:
        stored = client.authorized(cte(client.signer))
        assert client.cancel(stored).code == "135"
        answer = client.consult(stored.access_key)
        assert answer.code == "101"
        assert b"<procEventoCTe " in answer.reply.body
        canceled = client.ledger.document(HOMOLOGATION, stored.access_key)
        assert canceled is not None
        assert canceled.status is DocumentStatus.CANCELED

    def test_unknown_document_is_not_found(self, client: CteClient) -> None:
        answer = client.consult(key_of())
        assert (answer.code, schema_errors(answer, Schema.CTE_DOCUMENT_ANSWER)) == ("217", [])

    def test_document_of_another_half_year_is_too_old(self, client: CteClient) -> None:
        stored = client.authorized(cte(client.signer))
        client.now += timedelta(days=212)
        assert client.consult(stored.access_key).code == "731"


class TestEvents:
    def test_cancellation_is_registered(self, client: CteClient) -> None:
        stored = client.authorized(cte(client.signer))
        answer = client.cancel(stored)
        assert schema_errors(answer, Schema.CTE_EVENT_ANSWER) == []
        assert text_of(answer, "infEvento/xEvento") == "Cancelamento"
        assert text_of(answer, "infEvento/nProt") == "135260000000002"

    def test_several_corrections_are_registered(self, client: CteClient) -> None:
        key = client.authorized(cte(client.signer)).access_key
        codes = [client.send_event(key, correction(), sequence).code for sequence in (1, 20, 21)]
        assert codes == ["135", "135", "636"]

    def test_repeated_event_is_refused_with_its_protocol(self, client: CteClient) -> None:
        key = client.authorized(cte(client.signer)).access_key
        protocol = text_of(client.send_event(key, correction()), "infEvento/nProt")
        answer = client.send_event(key, correction())
        assert (answer.code, f"[nProt:{protocol}]" in answer.message) == ("631", True)


class TestContingency:
    """SVRS is the home of some states, and the contingency of São Paulo."""

    def test_status_of_the_svc_depends_on_the_state(self, client: CteClient) -> None:
        assert client.status("33", "SVRS").code == "107"
        assert client.status("35", "SVRS").code == "114"
        client.switches["contingency"] = {"SVRS": ContingencySwitch.CLOSING}
        assert client.status("35", "SVRS").code == "113"
        assert client.status("33", "SVRS").code == "107"
        client.switches["contingency"] = {"SVRS": ContingencySwitch.OFF}
        assert client.status("33", "SVRS").code == "107"

    def test_status_of_the_home_authority_is_in_service(self, client: CteClient) -> None:
        answer = client.status()
        assert (answer.code, schema_errors(answer, Schema.CTE_SERVICE_ANSWER)) == ("107", [])

    def test_document_of_the_svc_is_consulted_and_canceled_there(self, client: CteClient) -> None:
        client.switches["contingency"] = {"SVRS": ContingencySwitch.ON}
        stored = client.authorized(cte(client.signer, AT_THE_SVC), "SVRS")
        assert client.consult(stored.access_key, "SP").code == "217"
        assert client.consult(stored.access_key, "SVRS").code == "100"
        client.switches["contingency"] = {"SVRS": ContingencySwitch.OFF}
        assert client.consult(stored.access_key, "SVRS").code == "100"
        assert client.cancel(stored, "SVRS").code == "135"
        assert client.consult(stored.access_key, "SVRS").code == "101"

    def test_documents_of_the_home_authority_do_not_reach_the_svc(self, client: CteClient) -> None:
        stored = client.authorized(cte(client.signer))
        assert client.consult(stored.access_key, "SVRS").code == "217"

    def test_home_authority_gets_the_documents_of_a_closed_svc(self, client: CteClient) -> None:
        client.switches["contingency"] = {"SVRS": ContingencySwitch.ON}
        stored = client.authorized(cte(client.signer, AT_THE_SVC), "SVRS")
        client.switches.clear()
        assert client.consult(stored.access_key).code == "100"

    def test_outage_of_the_home_authority_opens_the_svc(self, client: CteClient) -> None:
        document = cte(client.signer, AT_THE_SVC)
        assert client.send(document, "SVRS").code == "114"
        client.switches["outages"] = {"SP": "109"}
        assert client.send(document, "SVRS").code == "100"


NONSENSE = (
    "",
    "<infCte/><infEvento/><eventoCTe/>",
    "<infCte Id='x'><ide><cUF>99</cUF></ide></infCte>",
    "<infEvento Id='x'><nSeqEvento>" + "9" * 5000 + "</nSeqEvento></infEvento>",
    "<distNSU><ultNSU>muitos</ultNSU></distNSU><CNPJ>x</CNPJ>",
    "<chCTe>9</chCTe><cUF>99</cUF>",
)


class TestNonsense:
    @pytest.mark.parametrize("service", ANSWERS)
    def test_nonsense_message_is_refused_with_a_code(self, service: str, client: CteClient) -> None:
        accepted = {}
        for inside, root in product(NONSENSE, ("CTe", "eventoCTe", "distDFeInt", "outra")):
            message = f'<{root} xmlns="{NAMESPACE}" versao="4.00">{inside}</{root}>'
            answer = client.ask(service_path(service, authorizer_of(service)), message.encode())
            etree.fromstring(answer.reply.body)
            if not DIALECT.is_rejection(answer.code):
                accepted[message[:200]] = answer
        assert accepted == {}

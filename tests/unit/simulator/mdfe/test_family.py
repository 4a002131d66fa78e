"""The services of MDF-e: reception, consults, events, read calls and refusals."""

from datetime import timedelta
from itertools import product

import pytest
from lxml import etree

from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.family import HOMOLOGATION, IncomingCall
from carimbo.simulator.ledger import DocumentStatus
from carimbo.simulator.mdfe.dialect import DIALECT, NAMESPACE
from carimbo.simulator.mdfe.family import MDFE_FAMILY, SERVICES
from support import CNPJ
from unit.fiscal.goods.support import CPF
from unit.simulator.mdfe.bases import OF_A_PERSON, PERSON, hired
from unit.simulator.mdfe.event_scenario import Scenario
from unit.simulator.mdfe.mdfe_client import (
    CONSULT,
    EVENT,
    OPEN,
    REASON,
    RECEPTION,
    STATUS,
    MdfeClient,
    cancellation,
    closing,
    consult_query,
    driver,
    enclosed,
    open_query,
    payment,
    service_path,
    status_query,
    text_of,
)
from unit.simulator.mdfe.sample_mdfe import key_of, mdfe
from unit.simulator.mutating import says
from unit.simulator.nfe.sefaz_client import message_of, schema_errors

ANSWERS = {
    RECEPTION: Schema.MDFE_ANSWER,
    CONSULT: Schema.MDFE_DOCUMENT_ANSWER,
    STATUS: Schema.MDFE_SERVICE_ANSWER,
    EVENT: Schema.MDFE_EVENT_ANSWER,
    OPEN: Schema.MDFE_OPEN_ANSWER,
}


def message_to(service: str, client: MdfeClient) -> bytes:
    """Returns a valid message to a service."""
    return {
        RECEPTION: mdfe(client.signer),
        CONSULT: consult_query(key_of()),
        STATUS: status_query(),
        EVENT: client.signed_event(key_of(), cancellation("935260000000001")),
        OPEN: open_query(CNPJ),
    }[service]


class TestServices:
    def test_every_service_is_tested_here(self) -> None:
        assert {service.name for service in SERVICES.by_name.values()} == set(ANSWERS)

    @pytest.mark.parametrize("authorizer", ["SP", "RS", "SVSP", "AN"])
    def test_only_svrs_has_them(self, authorizer: str) -> None:
        path = service_path(RECEPTION)
        assert MDFE_FAMILY.describe(path, "") is not None
        assert MDFE_FAMILY.describe(path._replace(authorizer=authorizer), "") is None

    def test_header_is_described_where_it_is_required(self) -> None:
        described = {}
        for service in ANSWERS:
            reply = MDFE_FAMILY.describe(service_path(service), "")
            assert reply is not None
            described[service] = b"mdfeCabecMsg" in reply.body
        assert described == {RECEPTION: False, CONSULT: True, STATUS: True, EVENT: True, OPEN: True}

    def test_subject_of_a_call_identifies_it(self, client: MdfeClient) -> None:
        subjects = {}
        for service in ANSWERS:
            incoming = client.read_call(service_path(service), enclosed(service, message_to(service, client)))
            assert isinstance(incoming, IncomingCall)
            subjects[service] = incoming.subject
        assert subjects == {
            RECEPTION: key_of(),
            CONSULT: key_of(),
            STATUS: "",
            EVENT: f"ID110111{key_of()}001",
            OPEN: CNPJ,
        }

    def test_free_texts_and_names_can_have_triggers(self, client: MdfeClient) -> None:
        body = enclosed(RECEPTION, mdfe(client.signer, notes="ENTREGAR A TARDE"))
        incoming = client.read_call(service_path(RECEPTION), body)
        assert isinstance(incoming, IncomingCall)
        assert incoming.texts == ("CONTRATANTE", "MOTORISTA", "ELETRONICOS", "ENTREGAR A TARDE")
        assert incoming.keys == (key_of(),)

    def test_reasons_and_drivers_can_have_triggers(self, client: MdfeClient) -> None:
        texts: list[str] = []
        for payload in (cancellation("935260000000001"), driver()):
            event = client.signed_event(key_of(), payload)
            incoming = client.read_call(service_path(EVENT), enclosed(EVENT, event))
            assert isinstance(incoming, IncomingCall)
            texts.extend(incoming.texts)
        assert texts == [REASON, "OUTRO"]

    @pytest.mark.parametrize("service", ANSWERS)
    def test_every_service_has_its_own_form_of_refusal(self, service: str, client: MdfeClient) -> None:
        where, message = service_path(service), message_to(service, client)
        refusals = {code: client.refused(where, message, code) for code in ("108", "109", "678", "999")}
        answers = {
            code: (answer.code, schema_errors(answer, ANSWERS[service])) for code, answer in refusals.items()
        }
        assert answers == {code: (code, []) for code in refusals}
        assert client.ledger.documents() == []

    @pytest.mark.parametrize("service", [CONSULT, STATUS, EVENT, OPEN])
    def test_message_without_a_header_is_refused(self, service: str, client: MdfeClient) -> None:
        body = enclosed(service, message_to(service, client))
        before, _, rest = body.partition(b"<soap:Header>")
        answer = client.send_body(service_path(service), before + rest.partition(b"</soap:Header>")[2])
        assert (answer.code, schema_errors(answer, ANSWERS[service])) == ("242", [])

    def test_authority_is_in_service(self, client: MdfeClient) -> None:
        answer = client.ask(service_path(STATUS), status_query())
        assert (answer.code, text_of(answer, "cUF")) == ("107", "43")
        assert schema_errors(answer, Schema.MDFE_SERVICE_ANSWER) == []


class TestReception:
    def test_zipped_document_is_authorized_and_stored(self, client: MdfeClient) -> None:
        answer = client.send(mdfe(client.signer))
        assert schema_errors(answer, Schema.MDFE_ANSWER) == []
        assert b"<mdfeRecepcaoResult " in answer.reply.body
        assert (answer.code, text_of(answer, "cStat"), text_of(answer, "cUF")) == ("100", "100", "35")
        stored = client.ledger.document(HOMOLOGATION, key_of())
        assert stored is not None
        assert text_of(answer, "protMDFe/infProt/nProt") == stored.protocol == "935260000000001"
        archived = MDFE_FAMILY.archived_document(stored)
        assert archived is not None
        assert archived.startswith(b"<mdfeProc ")

    def test_rejected_document_is_answered_with_its_key(self, client: MdfeClient) -> None:
        answer = client.send(mdfe(client.signer, says("infMDFe/tot/qCTe", "7")))
        assert schema_errors(answer, Schema.MDFE_ANSWER) == []
        assert (answer.code, text_of(answer, "protMDFe/infProt/chMDFe")) == ("667", key_of())
        assert client.ledger.documents() == []

    def test_message_that_is_not_zipped_is_refused_without_a_protocol(self, client: MdfeClient) -> None:
        body = enclosed(CONSULT, b"not zipped").replace(CONSULT.encode(), RECEPTION.encode())
        answer = client.send_body(service_path(RECEPTION), body)
        assert (answer.code, b"protMDFe" in answer.reply.body) == ("244", False)

    def test_message_that_is_not_xml_is_refused(self, client: MdfeClient) -> None:
        assert client.send(b"<MDFe").code == "243"

    def test_person_with_own_cargo_is_accepted(self, scenario: Scenario) -> None:
        person = scenario.person(CPF)
        stored = person.authorized(mdfe(person.signer, PERSON))
        assert person.close(stored).code == "135"
        assert person.open_ones().code == "112"


class TestConsult:
    def test_authorized_document_is_answered_with_its_protocol(self, client: MdfeClient) -> None:
        stored = client.authorized(mdfe(client.signer))
        answer = client.consult(stored.access_key)
        assert (answer.code, text_of(answer, "protMDFe/protMDFe/infProt/nProt")) == ("100", stored.protocol)
        assert schema_errors(answer, Schema.MDFE_DOCUMENT_ANSWER) == []

    def test_closed_document_is_answered_with_all_its_events(self, client: MdfeClient) -> None:
        stored = client.authorized(mdfe(client.signer))
        assert client.send_event(stored, driver()).code == "135"
        assert client.close(stored).code == "135"
        answer = client.consult(stored.access_key)
        assert answer.code == "132"
        assert schema_errors(answer, Schema.MDFE_DOCUMENT_ANSWER) == []
        types = message_of(answer).findall(f"{{{NAMESPACE}}}procEventoMDFe//{{*}}eventoMDFe//{{*}}tpEvento")
        assert [event_type.text for event_type in types] == ["110114", "110112"]

    def test_canceled_document_is_answered_with_its_event(self, client: MdfeClient) -> None:
        stored = client.authorized(mdfe(client.signer))
        assert client.cancel(stored).code == "135"
        answer = client.consult(stored.access_key)
        assert (answer.code, schema_errors(answer, Schema.MDFE_DOCUMENT_ANSWER)) == ("101", [])
        assert text_of(answer, "procEventoMDFe/procEventoMDFe/retEventoMDFe/infEvento/cStat") == "135"

    def test_unknown_document_is_not_found(self, client: MdfeClient) -> None:
        answer = client.consult(key_of())
        assert (answer.code, schema_errors(answer, Schema.MDFE_DOCUMENT_ANSWER)) == ("217", [])

    def test_document_of_another_half_year_is_too_old(self, client: MdfeClient) -> None:
        stored = client.authorized(mdfe(client.signer))
        client.now += timedelta(days=212)
        assert client.consult(stored.access_key).code == "460"


class TestEvents:
    def test_closing_is_registered_and_changes_the_status(self, client: MdfeClient) -> None:
        stored = client.authorized(mdfe(client.signer))
        answer = client.close(stored)
        assert schema_errors(answer, Schema.MDFE_EVENT_ANSWER) == []
        assert text_of(answer, "infEvento/xEvento") == "Encerramento"
        assert text_of(answer, "infEvento/nProt") == "935260000000002"
        closed = client.ledger.document(HOMOLOGATION, stored.access_key)
        assert closed is not None
        assert closed.status is DocumentStatus.CLOSED
        assert client.cancel(stored).code == "609"
        assert client.send_event(stored, driver()).code == "609"

    def test_other_carrier_closes_the_trip(self, client: MdfeClient, other: MdfeClient) -> None:
        stored = client.authorized(mdfe(client.signer))
        assert other.close(stored).code == "632"
        assert other.close(stored, by_another=True).code == "135"
        assert client.consult(stored.access_key).code == "132"

    def test_repeated_event_is_refused_with_its_protocol(self, client: MdfeClient) -> None:
        stored = client.authorized(mdfe(client.signer))
        protocol = text_of(client.send_event(stored, driver()), "infEvento/nProt")
        answer = client.send_event(stored, driver("39053344705"))
        assert (answer.code, f"[nProt:{protocol}]" in answer.message) == ("631", True)

    def test_several_drivers_are_added(self, client: MdfeClient) -> None:
        stored = client.authorized(mdfe(client.signer))
        codes = [
            client.send_event(stored, driver(cpf), sequence).code
            for sequence, cpf in enumerate(("11144477735", "39053344705", "11144477735"), start=1)
        ]
        assert codes == ["135", "135", "577"]

    def test_aggregated_carrier_is_paid_at_the_end_of_a_period(self, client: MdfeClient) -> None:
        stored = client.authorized(mdfe(client.signer, hired(OF_A_PERSON, "2")))
        assert client.close(stored).code == "135"
        answer = client.send_event(stored, payment(stored.protocol))
        assert (answer.code, schema_errors(answer, Schema.MDFE_EVENT_ANSWER)) == ("135", [])

    def test_unknown_document_is_not_closed(self, client: MdfeClient) -> None:
        event = client.signed_event(key_of(), closing("935260000000001"))
        answer = client.ask(service_path(EVENT), event)
        assert (answer.code, schema_errors(answer, Schema.MDFE_EVENT_ANSWER)) == ("217", [])


NONSENSE = (
    "",
    "<infMDFe/><infEvento/><eventoMDFe/>",
    "<infMDFe Id='x'><ide><cUF>99</cUF></ide></infMDFe>",
    "<infEvento Id='x'><nSeqEvento>" + "9" * 5000 + "</nSeqEvento></infEvento>",
    "<chMDFe>9</chMDFe><cUF>99</cUF>",
    "<CNPJ>x</CNPJ><CPF>y</CPF>",
)


class TestNonsense:
    @pytest.mark.parametrize("service", ANSWERS)
    def test_nonsense_message_is_refused_with_a_code(self, service: str, client: MdfeClient) -> None:
        accepted = {}
        for inside, root in product(NONSENSE, ("MDFe", "eventoMDFe", "consMDFeNaoEnc", "outra")):
            message = f'<{root} xmlns="{NAMESPACE}" versao="3.00">{inside}</{root}>'
            answer = client.ask(service_path(service), message.encode())
            etree.fromstring(answer.reply.body)
            if not DIALECT.is_rejection(answer.code):
                accepted[message[:200]] = answer
        assert accepted == {}

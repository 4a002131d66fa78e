"""The two families: their services at each authority, parsed calls, and refusals."""

from datetime import timedelta
from itertools import product

import pytest
from lxml import etree

from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.layouts.nfe_v4.inutilization import signed_inutilization
from carimbo.fiscal.layouts.sefaz.events import signed_event
from carimbo.fiscal.outcome import Outage, Rejected, Unavailable
from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.family import CallReply, IncomingCall
from carimbo.simulator.nfe.dialect import DIALECT, NAMESPACE
from carimbo.simulator.nfe.family import NFCE_FAMILY, NFE_FAMILY, SERVICES
from carimbo.simulator.rules import AuthorityVerdict
from nfe_dialect import (
    authorization_lot,
    distribution_after,
    event_lot,
    key_query,
    read_authorization,
    read_consult,
    read_event,
    read_receipt,
    read_status,
    receipt_query,
    status_query,
)
from support import CNPJ
from unit.fiscal.goods.support import CONTRIBUTOR, ISSUED_AT, emission, item
from unit.simulator.mutating import nfe
from unit.simulator.nfe.event_scenario import CORRECTION, UNKNOWN_KEY
from unit.simulator.nfe.sefaz_client import (
    AUTHORIZATION,
    CONSULT,
    DISTRIBUTION,
    EVENT,
    INUTILIZATION,
    RANGE,
    RECEIPT,
    REGISTRY,
    STATUS,
    SefazClient,
    enclosed,
    key_of,
    schema_errors,
    service_path,
    text_of,
)

KEY = AccessKey.parse(UNKNOWN_KEY)
REGISTRY_QUERY = (
    f'<ConsCad xmlns="{NAMESPACE}" versao="2.00"><infCons><xServ>CONS-CAD</xServ><UF>SP</UF>'
    f"<CNPJ>{CNPJ}</CNPJ></infCons></ConsCad>"
).encode()
ANSWERS = {
    AUTHORIZATION: Schema.NFE_BATCH_ANSWER,
    RECEIPT: Schema.NFE_RECEIPT_ANSWER,
    CONSULT: Schema.NFE_DOCUMENT_ANSWER,
    STATUS: Schema.NFE_SERVICE_ANSWER,
    INUTILIZATION: Schema.NFE_INUTILIZATION_ANSWER,
    EVENT: Schema.NFE_CORRECTION_ANSWER,
    DISTRIBUTION: Schema.NFE_DISTRIBUTION_ANSWER,
}
EVERY_SERVICE = [*ANSWERS, REGISTRY]


def authorizer_of(service: str) -> str:
    return "AN" if service == DISTRIBUTION else "SP"


def message_to(service: str, client: SefazClient) -> bytes:
    """Returns a valid message to a service."""
    event = signed_event(client.event(UNKNOWN_KEY, CORRECTION), client.signer)
    return {
        AUTHORIZATION: authorization_lot(1, [nfe(client.signer)]),
        RECEIPT: receipt_query("2", "351000000000001"),
        CONSULT: key_query("2", KEY),
        STATUS: status_query("2", "35"),
        INUTILIZATION: signed_inutilization(RANGE, client.signer),
        EVENT: event_lot(1, [event]),
        DISTRIBUTION: distribution_after("2", "35", CNPJ, 0),
        REGISTRY: REGISTRY_QUERY,
    }[service]


class TestAddresses:
    @pytest.mark.parametrize("service", ["NFeStatusServico4", "nfestatusservico4", "NFESTATUSSERVICO4.asmx"])
    def test_service_names_are_matched_regardless_of_spelling(self, service: str) -> None:
        assert NFE_FAMILY.describe(service_path(service), "https://localhost/")

    @pytest.mark.parametrize(
        ("authorizer", "service", "is_there"),
        [
            ("SP", INUTILIZATION, True),
            ("SVCAN", INUTILIZATION, False),
            ("SVCRS", REGISTRY, False),
            ("SVRS", REGISTRY, True),
            ("AN", EVENT, True),
            ("AN", DISTRIBUTION, True),
            ("AN", AUTHORIZATION, False),
            ("SP", DISTRIBUTION, False),
            ("SP", "NFeOutra4", False),
        ],
    )
    def test_each_authority_has_its_own_services(self, authorizer: str, service: str, is_there: bool) -> None:
        assert (NFE_FAMILY.describe(service_path(service, authorizer), "") is not None) == is_there

    def test_receipts_have_no_contingency_authority(self) -> None:
        assert NFCE_FAMILY.describe(service_path(STATUS, "SP", "nfce"), "")
        assert NFCE_FAMILY.describe(service_path(STATUS, "SVCAN", "nfce"), "") is None

    def test_call_of_a_missing_service_is_not_read(self, client: SefazClient) -> None:
        assert client.read_call(service_path(INUTILIZATION, "SVCAN"), b"")[2] is None


class TestIncomingCall:
    def incoming(self, client: SefazClient, service: str, message: bytes) -> IncomingCall:
        call = client.read_call(service_path(service, authorizer_of(service)), enclosed(service, message))[2]
        assert isinstance(call, IncomingCall)
        return call

    def test_subject_of_a_call_identifies_it(self, client: SefazClient) -> None:
        subjects = {
            service: self.incoming(client, service, message_to(service, client)).subject
            for service in EVERY_SERVICE
        }
        assert subjects == {
            AUTHORIZATION: key_of(nfe(client.signer)),
            RECEIPT: "351000000000001",
            CONSULT: UNKNOWN_KEY,
            STATUS: "SP",
            INUTILIZATION: RANGE.id,
            EVENT: f"ID110110{UNKNOWN_KEY}01",
            DISTRIBUTION: f"{CNPJ} distNSU",
            REGISTRY: f"SP {CNPJ}",
        }

    def test_subject_of_a_lot_is_its_number(self, client: SefazClient) -> None:
        documents = [nfe(client.signer, under=emission(number=number)) for number in (3, 4)]
        incoming = self.incoming(client, AUTHORIZATION, authorization_lot(77, documents))
        assert (incoming.service, incoming.subject) == (AUTHORIZATION, "lote 77")

    def test_texts_of_a_call_are_the_free_texts(self, client: SefazClient) -> None:
        document = nfe(
            client.signer,
            recipient=CONTRIBUTOR,
            items=[item(description="Caneca"), item(description="Prato")],
            notes="Entregar à tarde",
            authorityNotes="Regime especial 12",
        )
        texts = self.incoming(client, AUTHORIZATION, authorization_lot(1, [document])).texts
        assert texts[0] == "NF-E EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL"
        assert {"Caneca", "Prato"} <= set(texts)
        notes = " ".join(texts)
        assert "Entregar à tarde" in notes
        assert "Regime especial 12" in notes

    def test_reasons_and_corrections_are_free_texts(self, client: SefazClient) -> None:
        assert self.incoming(client, INUTILIZATION, message_to(INUTILIZATION, client)).texts == (
            RANGE.reason,
        )
        assert self.incoming(client, EVENT, message_to(EVENT, client)).texts == (CORRECTION.correction,)

    def test_namespace_of_another_service_is_a_fault(self, client: SefazClient) -> None:
        body = enclosed(CONSULT, status_query("2", "35"))
        fault = client.read_call(service_path(STATUS), body)[2]
        assert isinstance(fault, CallReply)
        assert (fault.reply.status, fault.code) == (500, "")
        assert "NFeStatusServico4" in fault.message
        assert b"NFeStatusServico4" in fault.reply.body


class TestRefusing:
    def test_only_rejection_codes_can_be_refusals(self) -> None:
        rejections = ["204", "217", "225", "539", "656", "999", "1026", "108", "109"]
        others = ["", "0", "100", "107", "110", "150", "302", "E0000", "E0617"]
        assert [code for code in (*rejections, *others) if NFE_FAMILY.can_refuse_with(code)] == rejections

    @pytest.mark.parametrize("service", ANSWERS)
    def test_every_service_has_its_own_form_of_refusal(self, service: str, client: SefazClient) -> None:
        where, message = service_path(service, authorizer_of(service)), message_to(service, client)
        refusals = {code: client.refused(where, message, code) for code in ("108", "109", "999")}
        answers = {
            code: (answer.code, schema_errors(answer, ANSWERS[service])) for code, answer in refusals.items()
        }
        assert answers == {code: (code, []) for code in refusals}
        assert client.ledger.documents() == []

    def test_register_has_its_own_form_of_refusal(self, client: SefazClient) -> None:
        answer = client.refused(service_path(REGISTRY), REGISTRY_QUERY, "109")
        assert (answer.code, text_of(answer, "infCons/cStat")) == ("109", "109")

    def test_document_is_refused_in_its_protocol(self, client: SefazClient) -> None:
        document = nfe(client.signer)
        answer = client.refused(service_path(AUTHORIZATION), authorization_lot(1, [document]), "539")
        assert text_of(answer, "cStat") == "104"
        assert text_of(answer, "protNFe/infProt/chNFe") == key_of(document)
        assert text_of(answer, "protNFe/infProt/xMotivo").startswith("Rejeição: Duplicidade de NF-e")

    def test_lot_of_several_is_refused_as_a_whole(self, client: SefazClient) -> None:
        documents = [nfe(client.signer, under=emission(number=number)) for number in (3, 4)]
        answer = client.refused(service_path(AUTHORIZATION), authorization_lot(1, documents), "610")
        assert text_of(answer, "cStat") == "610"

    def test_event_is_refused_in_its_own_answer(self, client: SefazClient) -> None:
        answer = client.refused(service_path(EVENT), message_to(EVENT, client), "501")
        outcome = read_event(answer.reply.body, UNKNOWN_KEY, "110110", 1)
        assert isinstance(outcome, Rejected)
        assert outcome.code == "501"

    def test_outage_is_answered_for_the_whole_message(self, client: SefazClient) -> None:
        answer = client.refused(
            service_path(AUTHORIZATION), authorization_lot(1, [nfe(client.signer)]), "108"
        )
        outcome = read_authorization(answer.reply.body)
        assert isinstance(outcome, Unavailable)
        assert outcome.outage is Outage.SHORT
        for service, read in ((CONSULT, read_consult), (RECEIPT, read_receipt)):
            body = client.refused(service_path(service), message_to(service, client), "109").reply.body
            assert isinstance(read(body), Unavailable)

    def test_short_outage_has_a_return_time(self, client: SefazClient) -> None:
        outcome = read_status(client.refused(service_path(STATUS), status_query("2", "35"), "108").reply.body)
        assert isinstance(outcome, Unavailable)
        assert outcome.back_at == ISSUED_AT + timedelta(minutes=15)


NONSENSE = (
    "",
    "<infInut/><infCons/><evento/><NFe/>",
    "<NFe><infNFe Id='x'><ide><cUF>99</cUF></ide></infNFe></NFe>",
    "<evento><infEvento Id='x'><nSeqEvento>" + "9" * 5000 + "</nSeqEvento></infEvento></evento>",
    "<distNSU><ultNSU>muitos</ultNSU></distNSU><CNPJ>x</CNPJ>",
    "<nRec>9</nRec><chNFe>9</chNFe><cUF>99</cUF>",
    "<!-- nada --><?nada nada?>",
)
VERSIONS = {"enviNFe": "4.00", "envEvento": "1.00", "ConsCad": "2.00", "distDFeInt": "1.01", "outra": "4.00"}


class TestNonsense:
    @pytest.mark.parametrize("service", EVERY_SERVICE)
    def test_nonsense_message_is_refused_with_a_code(self, service: str, client: SefazClient) -> None:
        accepted = {}
        for inside, (root, version) in product(NONSENSE, VERSIONS.items()):
            message = f'<{root} xmlns="{NAMESPACE}" versao="{version}">{inside}</{root}>'
            answer = client.ask(service_path(service, authorizer_of(service)), message.encode())
            if not DIALECT.is_rejection(answer.code) or not is_xml(answer.reply.body):
                accepted[message[:200]] = answer
        assert accepted == {}


def is_xml(body: bytes) -> bool:
    """Tells whether an answer can be parsed."""
    try:
        etree.fromstring(body)
    except etree.XMLSyntaxError:
        return False
    return True


class TestVerdicts:
    def test_every_service_is_in_the_table(self) -> None:
        assert {service.name for service in SERVICES.by_name.values()} == set(EVERY_SERVICE)

    @pytest.mark.parametrize(
        ("verdict", "message"),
        [
            (AuthorityVerdict("100"), "Autorizado o uso da NF-e"),
            (AuthorityVerdict("178"), "Rejeição: CNPJ do emitente não cadastrado na Receita Federal"),
            (AuthorityVerdict("204", "[nProt:1]"), "Rejeição: Duplicidade de NF-e [nProt:1]"),
            (AuthorityVerdict("472"), "Rejeição: CPF consultado difere do CPF do Certificado Digital"),
            (AuthorityVerdict("9999"), "Rejeição: Erro não catalogado"),
        ],
    )
    def test_messages_of_rejections_begin_with_that_word(
        self, verdict: AuthorityVerdict, message: str
    ) -> None:
        assert DIALECT.text_of(verdict) == message

    def test_message_has_at_most_the_length_of_the_layout(self) -> None:
        assert len(DIALECT.text_of(AuthorityVerdict("215", "x" * 400))) == 255

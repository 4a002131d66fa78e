"""The two families: which services they have where, what they hear, and what they refuse with."""

from datetime import timedelta
from itertools import product

import pytest
from lxml import etree

from carimbo.fiscal.access_key import AccessKey
from carimbo.fiscal.layouts.nfe_v4.inutilization import signed_inutilization
from carimbo.fiscal.layouts.sefaz.events import signed_event
from carimbo.fiscal.outcome import Outage, Rejected, Unavailable
from carimbo.fiscal.schemas.catalog import Schema
from carimbo.simulator.family import Heard, Said
from carimbo.simulator.nfe.dialect import DIALECT, NAMESPACE
from carimbo.simulator.nfe.family import NFCE, NFE
from carimbo.simulator.nfe.services import SERVICES
from carimbo.simulator.sefaz.answers import Verdict
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
from unit.simulator.nfe.counter import (
    AUTHORIZATION,
    CONSULT,
    DISTRIBUTION,
    EVENT,
    INUTILIZATION,
    RANGE,
    RECEIPT,
    REGISTRY,
    STATUS,
    Counter,
    enclosed,
    faults,
    key_of,
    place,
    text_of,
)
from unit.simulator.nfe.registrar import CORRECTION, UNKNOWN_KEY

KEY = AccessKey.parse(UNKNOWN_KEY)
REGISTRY_QUESTION = (
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


def question(service: str, counter: Counter) -> bytes:
    """A proper message to a service."""
    event = signed_event(counter.event(UNKNOWN_KEY, CORRECTION), counter.signer)
    return {
        AUTHORIZATION: authorization_lot(1, [nfe(counter.signer)]),
        RECEIPT: receipt_query("2", "351000000000001"),
        CONSULT: key_query("2", KEY),
        STATUS: status_query("2", "35"),
        INUTILIZATION: signed_inutilization(RANGE, counter.signer),
        EVENT: event_lot(1, [event]),
        DISTRIBUTION: distribution_after("2", "35", CNPJ, 0),
        REGISTRY: REGISTRY_QUESTION,
    }[service]


class TestAddresses:
    @pytest.mark.parametrize("service", ["NFeStatusServico4", "nfestatusservico4", "NFESTATUSSERVICO4.asmx"])
    def test_services_are_found_however_they_are_written(self, service: str) -> None:
        assert NFE.describe(place(service), "https://localhost/")

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
    def test_each_authority_has_its_own(self, authorizer: str, service: str, is_there: bool) -> None:
        assert (NFE.describe(place(service, authorizer), "") is not None) == is_there

    def test_receipts_have_no_contingency_authority(self) -> None:
        assert NFCE.describe(place(STATUS, "SP", "nfce"), "")
        assert NFCE.describe(place(STATUS, "SVCAN", "nfce"), "") is None

    def test_what_is_not_there_is_not_heard(self, counter: Counter) -> None:
        assert counter.hear(place(INUTILIZATION, "SVCAN"), b"")[2] is None


class TestHearing:
    def heard(self, counter: Counter, service: str, message: bytes) -> Heard:
        found = counter.hear(place(service, authorizer_of(service)), enclosed(service, message))[2]
        assert isinstance(found, Heard)
        return found

    def test_the_subject_says_what_a_call_is_about(self, counter: Counter) -> None:
        subjects = {
            service: self.heard(counter, service, question(service, counter)).subject
            for service in EVERY_SERVICE
        }
        assert subjects == {
            AUTHORIZATION: key_of(nfe(counter.signer)),
            RECEIPT: "351000000000001",
            CONSULT: UNKNOWN_KEY,
            STATUS: "SP",
            INUTILIZATION: RANGE.id,
            EVENT: f"ID110110{UNKNOWN_KEY}01",
            DISTRIBUTION: f"{CNPJ} distNSU",
            REGISTRY: f"SP {CNPJ}",
        }

    def test_a_lot_of_several_goes_by_its_number(self, counter: Counter) -> None:
        documents = [nfe(counter.signer, under=emission(number=number)) for number in (3, 4)]
        heard = self.heard(counter, AUTHORIZATION, authorization_lot(77, documents))
        assert (heard.service, heard.subject) == (AUTHORIZATION, "lote 77")

    def test_texts_are_those_that_people_write_freely(self, counter: Counter) -> None:
        document = nfe(
            counter.signer,
            recipient=CONTRIBUTOR,
            items=[item(description="Caneca"), item(description="Prato")],
            notes="Entregar à tarde",
            authorityNotes="Regime especial 12",
        )
        texts = self.heard(counter, AUTHORIZATION, authorization_lot(1, [document])).texts
        assert texts[0] == "NF-E EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL"
        assert {"Caneca", "Prato"} <= set(texts)
        notes = " ".join(texts)
        assert "Entregar à tarde" in notes
        assert "Regime especial 12" in notes

    def test_reasons_and_corrections_are_texts_too(self, counter: Counter) -> None:
        assert self.heard(counter, INUTILIZATION, question(INUTILIZATION, counter)).texts == (RANGE.reason,)
        assert self.heard(counter, EVENT, question(EVENT, counter)).texts == (CORRECTION.correction,)

    def test_the_namespace_of_another_service_is_a_fault(self, counter: Counter) -> None:
        body = enclosed(CONSULT, status_query("2", "35"))
        found = counter.hear(place(STATUS), body)[2]
        assert isinstance(found, Said)
        assert (found.reply.status, found.code) == (500, "")
        assert "NFeStatusServico4" in found.message
        assert b"NFeStatusServico4" in found.reply.body


class TestRefusing:
    def test_is_by_what_the_manual_calls_a_rejection_and_by_no_other_code(self) -> None:
        rejections = ["204", "217", "225", "539", "656", "999", "1026", "108", "109"]
        others = ["", "0", "100", "107", "110", "150", "302", "E0000", "E0617"]
        assert [code for code in (*rejections, *others) if NFE.refuses_with(code)] == rejections

    @pytest.mark.parametrize("service", ANSWERS)
    def test_every_service_has_an_answer_of_its_kind(self, service: str, counter: Counter) -> None:
        where, message = place(service, authorizer_of(service)), question(service, counter)
        said = {code: counter.refused(where, message, code) for code in ("108", "109", "999")}
        answers = {code: (one.code, faults(one, ANSWERS[service])) for code, one in said.items()}
        assert answers == {code: (code, []) for code in said}
        assert counter.ledger.documents() == []

    def test_the_register_has_one_too(self, counter: Counter) -> None:
        said = counter.refused(place(REGISTRY), REGISTRY_QUESTION, "109")
        assert (said.code, text_of(said, "infCons/cStat")) == ("109", "109")

    def test_a_document_is_refused_by_its_protocol(self, counter: Counter) -> None:
        document = nfe(counter.signer)
        said = counter.refused(place(AUTHORIZATION), authorization_lot(1, [document]), "539")
        assert text_of(said, "cStat") == "104"
        assert text_of(said, "protNFe/infProt/chNFe") == key_of(document)
        assert text_of(said, "protNFe/infProt/xMotivo").startswith("Rejeição: Duplicidade de NF-e")

    def test_a_lot_of_several_is_refused_as_a_whole(self, counter: Counter) -> None:
        documents = [nfe(counter.signer, under=emission(number=number)) for number in (3, 4)]
        said = counter.refused(place(AUTHORIZATION), authorization_lot(1, documents), "610")
        assert text_of(said, "cStat") == "610"

    def test_an_event_is_refused_by_its_own_answer(self, counter: Counter) -> None:
        said = counter.refused(place(EVENT), question(EVENT, counter), "501")
        outcome = read_event(said.reply.body, UNKNOWN_KEY, "110110", 1)
        assert isinstance(outcome, Rejected)
        assert outcome.code == "501"

    def test_an_outage_is_told_of_the_whole_message(self, counter: Counter) -> None:
        said = counter.refused(place(AUTHORIZATION), authorization_lot(1, [nfe(counter.signer)]), "108")
        outcome = read_authorization(said.reply.body)
        assert isinstance(outcome, Unavailable)
        assert outcome.outage is Outage.SHORT
        for service, read in ((CONSULT, read_consult), (RECEIPT, read_receipt)):
            body = counter.refused(place(service), question(service, counter), "109").reply.body
            assert isinstance(read(body), Unavailable)

    def test_a_short_outage_tells_when_it_ends(self, counter: Counter) -> None:
        outcome = read_status(counter.refused(place(STATUS), status_query("2", "35"), "108").reply.body)
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
    def test_a_message_that_makes_no_sense_is_refused_in_words(self, service: str, counter: Counter) -> None:
        taken = {}
        for inside, (root, version) in product(NONSENSE, VERSIONS.items()):
            message = f'<{root} xmlns="{NAMESPACE}" versao="{version}">{inside}</{root}>'
            said = counter.ask(place(service, authorizer_of(service)), message.encode())
            if not DIALECT.is_rejection(said.code) or not is_xml(said.reply.body):
                taken[message[:200]] = said
        assert taken == {}


def is_xml(body: bytes) -> bool:
    """Says whether an answer can be parsed."""
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
            (Verdict("100"), "Autorizado o uso da NF-e"),
            (Verdict("178"), "Rejeição: CNPJ do emitente não cadastrado na Receita Federal"),
            (Verdict("204", "[nProt:1]"), "Rejeição: Duplicidade de NF-e [nProt:1]"),
            (Verdict("472"), "Rejeição: CPF consultado difere do CPF do Certificado Digital"),
            (Verdict("9999"), "Rejeição: Erro não catalogado"),
        ],
    )
    def test_rejections_say_that_they_are(self, verdict: Verdict, message: str) -> None:
        assert DIALECT.text_of(verdict) == message

    def test_a_message_is_never_longer_than_the_layout_lets_it_be(self) -> None:
        assert len(DIALECT.text_of(Verdict("215", "x" * 400))) == 255

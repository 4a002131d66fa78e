"""Each event rule, broken by one change of an accepted event."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from lxml import etree

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.family import HOMOLOGATION, PRODUCTION, RequestContext, ServicePath
from carimbo.simulator.ledger import Ledger, StoredEvent
from carimbo.simulator.nfse.event import JudgedNoteEvent
from carimbo.simulator.nfse.rules.certificates import EVENT_SIGNATURE_RULES
from carimbo.simulator.nfse.rules.events import EVENT_RULES
from carimbo.simulator.rules import broken_by
from carimbo.simulator.trust import CertificateFlaw
from support import CNPJ
from unit.fiscal.goods.support import ISSUED_AT, signer_of
from unit.simulator.mutating import Edit, at, both, context, says, without
from unit.simulator.nfse.declaring import (
    BASES,
    NAMESPACE,
    OTHER_CNPJ,
    PERSON,
    REPLACED_KEY,
    TAKER_CNPJ,
    resigned,
)
from unit.simulator.nfse.sefin import ServiceRuleTester, xsd_errors
from unit.simulator.nfse.test_signature_rules import without_signature
from unit.simulator.rule_tester import unchanged
from unit.simulator.rules.certificates import FLAWED, of_company, of_person
from unit.simulator.rules.edits import becomes
from unit.simulator.sample_family import document

KEY = REPLACED_KEY
IN_CAMPINAS = "35095022211222333000181000000000000126111234567890"
OF_THE_CITY = f"{KEY[:7]}1{KEY[8:-1]}5"
SERVICE_PATH = ServicePath("SEFIN", HOMOLOGATION, "nfse", "SefinNacional", f"nfse/{KEY}/eventos")
DAY = timedelta(days=1)
CANCEL = "<xDesc>Cancelamento de NFS-e</xDesc><cMotivo>1</cMotivo><xMotivo>Cobrado em duplicidade</xMotivo>"
ANALYSE = (
    "<xDesc>Solicitação de Análise Fiscal para Cancelamento de NFS-e</xDesc><cMotivo>1</cMotivo>"
    "<xMotivo>Cobrado em duplicidade</xMotivo>"
)
ALSO = "<cMotivo>1</cMotivo><xMotivo>Serviço que não foi prestado</xMotivo>"


@dataclass(frozen=True)
class SampleEvent:
    """An accepted event."""

    type: str
    detail: str
    author: str = CNPJ
    note: str = "between"


def manifested(type_: str, name: str, author: str, detail: str = "") -> SampleEvent:
    return SampleEvent(type_, f"<xDesc>Manifestação de NFS-e - {name}</xDesc>{detail}", author)


SAMPLE_EVENTS = {
    "cancel": SampleEvent("101101", CANCEL),
    "analyse": SampleEvent("101103", ANALYSE),
    "confirm": manifested("202201", "Confirmação do Prestador", CNPJ),
    "confirm_taker": manifested("203202", "Confirmação do Tomador", TAKER_CNPJ),
    "confirm_between": manifested("204203", "Confirmação do Intermediário", OTHER_CNPJ),
    "refuse": manifested("202205", "Rejeição do Prestador", CNPJ, ALSO),
    "refuse_taker": manifested("203206", "Rejeição do Tomador", TAKER_CNPJ, ALSO),
    "refuse_between": manifested("204207", "Rejeição do Intermediário", OTHER_CNPJ, ALSO),
}


def store_note(context: RequestContext, key: str = KEY, name: str = "between") -> None:
    note = replace(document(SERVICE_PATH, key, ISSUED_AT), xml=BASES[name].encode(), issuer=CNPJ)
    Ledger(context.store).keep_document(note)


def store_note_in_production(context: RequestContext) -> None:
    note = replace(
        document(SERVICE_PATH._replace(environment=PRODUCTION), KEY, ISSUED_AT),
        xml=BASES["between"].encode(),
        issuer=CNPJ,
    )
    Ledger(context.store).keep_document(note)


def store_expensive_note_in_campinas(context: RequestContext) -> None:
    """Stores a note above 50,000 reais, the limit for cancellations in its city."""
    dear = BASES["between"].replace("<cLocEmi>3550308<", "<cLocEmi>3509502<").replace("1000.00", "50000.01")
    note = replace(document(SERVICE_PATH, IN_CAMPINAS, ISSUED_AT), xml=dear.encode(), issuer=CNPJ)
    Ledger(context.store).keep_document(note)


def store_event(context: RequestContext, type_: str, author: str = TAKER_CNPJ) -> None:
    event = StoredEvent(
        environment=HOMOLOGATION,
        access_key=KEY,
        type=type_,
        sequence=1,
        author=author,
        authorizer="SEFIN",
        registered_at=context.now,
        code="201",
        protocol="0",
        xml=b"<pedRegEvento/>",
        answer_xml=b"<evento/>",
    )
    Ledger(context.store).keep_event(event)


@dataclass(frozen=True)
class Violation:
    """A change of an accepted event that breaks exactly one rule."""

    code: str
    sample: str = "cancel"
    edit: Edit = unchanged
    now: datetime = ISSUED_AT
    service_path: ServicePath = SERVICE_PATH
    prepare: Callable[[RequestContext], object] = lambda _: None
    issue: Callable[[SampleAuthority], SampleCertificate] | None = None
    after_signing: Edit = unchanged
    switches: dict[str, Any] = field(default_factory=dict)
    path_key: str = ""
    """The key in the request path, if it is not that of the note."""

    def __str__(self) -> str:
        return f"{self.code}-{self.sample}"


def request(sample: SampleEvent, edit: Edit, signer: Signer) -> bytes:
    xml = (
        f'<pedRegEvento xmlns="{NAMESPACE}" versao="1.01"><infPedReg Id="PRE{KEY}{sample.type}">'
        "<tpAmb>2</tpAmb><verAplic>teste 1.0</verAplic><dhEvento>2026-11-14T10:00:00-03:00</dhEvento>"
        f"<CNPJAutor>{sample.author}</CNPJAutor><chNFSe>{KEY}</chNFSe>"
        f"<e{sample.type}>{sample.detail}</e{sample.type}></infPedReg></pedRegEvento>"
    )
    root = etree.fromstring(xml)
    edit(root)
    return resigned(root, signer)


def about(key: str) -> Edit:
    """Changes the note of the event."""

    def edit(root: etree._Element) -> None:
        signed = at(root, "infPedReg")
        signed.set("Id", f"PRE{key}{signed.get('Id', '')[-6:]}")
        at(root, "infPedReg/chNFSe").text = key

    return edit


def with_id(id_: str) -> Edit:
    return lambda root: at(root, "infPedReg").set("Id", id_)


def by_person(cpf: str) -> Edit:
    return becomes("infPedReg/CNPJAutor", f"<CPFAutor>{cpf}</CPFAutor>")


def signer_for(sample: SampleEvent, violation: Violation, tester: ServiceRuleTester) -> Signer:
    if violation.issue:
        return signer_of(violation.issue(tester.authority))
    return tester.signer if sample.author == CNPJ else signer_of(of_company(tester.authority, sample.author))


def verdict(
    xml: bytes, violation: Violation, tester: ServiceRuleTester, off: frozenset[str] = frozenset()
) -> list[str]:
    request_context = context(tester.trust, violation.now, rules_off=off, **violation.switches)
    with closing(request_context.store):
        store_note(request_context)
        violation.prepare(request_context)
        root = etree.fromstring(xml)
        path_key = violation.path_key or at(root, "infPedReg/chNFSe").text or ""
        event = JudgedNoteEvent(root, violation.service_path, request_context, path_key)
        return [refusal.code for refusal in broken_by((*EVENT_SIGNATURE_RULES, *EVENT_RULES), event, off)]


OF_SIGNATURES = [
    Violation("E1989", after_signing=without_signature),
    Violation("E1980", after_signing=says("infPedReg/verAplic", "outro")),
    Violation("E1986", issue=FLAWED[CertificateFlaw.INVALID]),
    Violation("E1983", issue=FLAWED[CertificateFlaw.OUT_OF_DATE]),
    Violation("E1991", issue=partial(of_company, tax_id=OTHER_CNPJ)),
]
OF_NOTES = [
    Violation("E1827", edit=with_id(f"PRE{KEY}105102")),
    Violation("E1827", path_key=IN_CAMPINAS),
    Violation(
        "E1845", service_path=SERVICE_PATH._replace(environment=PRODUCTION), prepare=store_note_in_production
    ),
    Violation("E1831", edit=about("35503082211222333000181000000000000226111234567894")),
    Violation("E0831", edit=about(OF_THE_CITY), prepare=partial(store_note, key=OF_THE_CITY)),
]
OF_AUTHORS = [
    Violation(
        "E0813", edit=says("infPedReg/CNPJAutor", OTHER_CNPJ), issue=partial(of_company, tax_id=OTHER_CNPJ)
    ),
    Violation("E0813", "confirm_taker", says("infPedReg/CNPJAutor", CNPJ), issue=of_company),
    Violation("E0816", edit=by_person(PERSON), issue=partial(of_person, cpf=PERSON)),
]
OF_TIMES = [
    Violation("E1843", now=ISSUED_AT - timedelta(minutes=2)),
    Violation("E0822", now=ISSUED_AT + 730 * DAY + DAY),
    Violation("E0823", edit=about(IN_CAMPINAS), prepare=store_expensive_note_in_campinas),
]
OF_EARLIER_EVENTS = [
    *(
        Violation(code, name, prepare=partial(store_event, type_="105102"))
        for code, name in zip(
            ("E0840", "E0848", "E0860", "E0861", "E0862", "E0864", "E0866", "E0868"),
            SAMPLE_EVENTS,
            strict=True,
        )
    ),
    Violation("E0840", prepare=partial(store_event, type_="101103")),
    Violation("E0840", prepare=partial(store_event, type_="203202")),
    Violation("E0848", "analyse", prepare=partial(store_event, type_="204203")),
    Violation("E0860", "confirm", prepare=partial(store_event, type_="202201", author=CNPJ)),
    Violation("E0864", "refuse", prepare=partial(store_event, type_="202205", author=CNPJ)),
    Violation("E1833", "confirm_taker", prepare=partial(store_event, type_="203206")),
    Violation("E1833", "refuse_between", prepare=partial(store_event, type_="204203", author=OTHER_CNPJ)),
]
OF_REASONS = [
    Violation(
        code,
        name,
        both(
            says(f"infPedReg/e{SAMPLE_EVENTS[name].type}/cMotivo", "9"),
            without(f"infPedReg/e{SAMPLE_EVENTS[name].type}/xMotivo"),
        ),
    )
    for code, name in (("E1944", "refuse"), ("E1949", "refuse_taker"), ("E1954", "refuse_between"))
]
VIOLATIONS = [*OF_SIGNATURES, *OF_NOTES, *OF_AUTHORS, *OF_TIMES, *OF_EARLIER_EVENTS, *OF_REASONS]


class TestEventRules:
    @pytest.mark.parametrize("name", SAMPLE_EVENTS)
    def test_sample_event_is_accepted_and_valid(self, name: str, service_tester: ServiceRuleTester) -> None:
        sample = SAMPLE_EVENTS[name]
        unbroken = Violation("", name)
        xml = request(sample, unchanged, signer_for(sample, unbroken, service_tester))
        assert xsd_errors(xml, Schema.NFSE_EVENT) == []
        assert verdict(xml, unbroken, service_tester) == []

    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_event_rule_refuses_the_event(
        self, violation: Violation, service_tester: ServiceRuleTester
    ) -> None:
        sample = SAMPLE_EVENTS[violation.sample]
        root = etree.fromstring(
            request(sample, violation.edit, signer_for(sample, violation, service_tester))
        )
        violation.after_signing(root)
        xml = etree.tostring(root)
        assert xsd_errors(xml, Schema.NFSE_EVENT) == []
        assert verdict(xml, violation, service_tester) == [violation.code]
        assert verdict(xml, violation, service_tester, frozenset({violation.code})) == []

    def test_note_may_be_canceled_on_the_last_day(self, service_tester: ServiceRuleTester) -> None:
        last = Violation("", now=ISSUED_AT + 730 * DAY)
        xml = request(SAMPLE_EVENTS["cancel"], unchanged, service_tester.signer)
        assert verdict(xml, last, service_tester) == []

    def test_issuer_may_refuse_a_note_that_it_confirmed(self, service_tester: ServiceRuleTester) -> None:
        confirmed = Violation("", "refuse", prepare=partial(store_event, type_="202201", author=CNPJ))
        xml = request(SAMPLE_EVENTS["refuse"], unchanged, service_tester.signer)
        assert verdict(xml, confirmed, service_tester) == []

    def test_refusal_does_not_prevent_a_cancellation(self, service_tester: ServiceRuleTester) -> None:
        refused = Violation("", prepare=partial(store_event, type_="203206"))
        xml = request(SAMPLE_EVENTS["cancel"], unchanged, service_tester.signer)
        assert verdict(xml, refused, service_tester) == []

    def test_event_of_a_city_is_refused_from_others(self, service_tester: ServiceRuleTester) -> None:
        granted = SampleEvent(
            "105104",
            "<xDesc>Cancelamento de NFS-e Deferido por Análise Fiscal</xDesc>"
            f"<CPFAgTrib>{PERSON}</CPFAgTrib><cMotivo>1</cMotivo><xMotivo>Pedido que foi aceito</xMotivo>",
        )
        xml = request(granted, unchanged, service_tester.signer)
        assert xsd_errors(xml, Schema.NFSE_EVENT) == []
        assert verdict(xml, Violation(""), service_tester) == ["E0813"]

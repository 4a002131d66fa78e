"""What may happen to a note, when, and by whom: each rule broken by one change of an event that is taken."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from lxml import etree

from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from carimbo.fiscal.schemas.catalog import Schema
from carimbo.fiscal.signature import Signer
from carimbo.simulator.family import World
from carimbo.simulator.ledger import Ledger, StoredEvent
from carimbo.simulator.nfse.event_case import EventCase
from carimbo.simulator.nfse.rules.events import EVENT_RULES
from carimbo.simulator.nfse.rules.signature import EVENT_SIGNATURE_RULES
from carimbo.simulator.place import HOMOLOGATION, PRODUCTION, Place
from carimbo.simulator.rule import broken_by
from carimbo.simulator.trust import Flaw
from support import CNPJ
from unit.fiscal.goods.support import ISSUED_AT, signer_of
from unit.simulator.courtroom import unchanged
from unit.simulator.front_desk import document
from unit.simulator.mutating import Edit, at, both, says, without, world
from unit.simulator.nfse.declaring import (
    BASES,
    NAMESPACE,
    OTHER_CNPJ,
    PERSON,
    REPLACED_KEY,
    TAKER_CNPJ,
    resigned,
)
from unit.simulator.nfse.sefin import ServiceCourt, faults
from unit.simulator.nfse.test_signature_rules import without_signature
from unit.simulator.rules.certificates import FLAWED, of_company, of_person
from unit.simulator.rules.edits import becomes

KEY = REPLACED_KEY
IN_CAMPINAS = "35095022211222333000181000000000000126111234567890"
OF_THE_CITY = f"{KEY[:7]}1{KEY[8:-1]}5"
PLACE = Place("SEFIN", HOMOLOGATION, "nfse", "SefinNacional", f"nfse/{KEY}/eventos")
DAY = timedelta(days=1)
CANCEL = "<xDesc>Cancelamento de NFS-e</xDesc><cMotivo>1</cMotivo><xMotivo>Cobrado em duplicidade</xMotivo>"
ANALYSE = (
    "<xDesc>Solicitação de Análise Fiscal para Cancelamento de NFS-e</xDesc><cMotivo>1</cMotivo>"
    "<xMotivo>Cobrado em duplicidade</xMotivo>"
)
ALSO = "<cMotivo>1</cMotivo><xMotivo>Serviço que não foi prestado</xMotivo>"


@dataclass(frozen=True)
class Kind:
    """An event that is taken."""

    type: str
    detail: str
    author: str = CNPJ
    note: str = "between"


def manifested(type_: str, name: str, author: str, detail: str = "") -> Kind:
    return Kind(type_, f"<xDesc>Manifestação de NFS-e - {name}</xDesc>{detail}", author)


KINDS = {
    "cancel": Kind("101101", CANCEL),
    "analyse": Kind("101103", ANALYSE),
    "confirm": manifested("202201", "Confirmação do Prestador", CNPJ),
    "confirm_taker": manifested("203202", "Confirmação do Tomador", TAKER_CNPJ),
    "confirm_between": manifested("204203", "Confirmação do Intermediário", OTHER_CNPJ),
    "refuse": manifested("202205", "Rejeição do Prestador", CNPJ, ALSO),
    "refuse_taker": manifested("203206", "Rejeição do Tomador", TAKER_CNPJ, ALSO),
    "refuse_between": manifested("204207", "Rejeição do Intermediário", OTHER_CNPJ, ALSO),
}


def issued(world: World, key: str = KEY, name: str = "between") -> None:
    note = replace(document(PLACE, key, ISSUED_AT), xml=BASES[name].encode(), issuer=CNPJ)
    Ledger(world.store).keep_document(note)


def in_production(around: World) -> None:
    note = replace(
        document(PLACE._replace(environment=PRODUCTION), KEY, ISSUED_AT),
        xml=BASES["between"].encode(),
        issuer=CNPJ,
    )
    Ledger(around.store).keep_document(note)


def in_campinas(world: World) -> None:
    """A dear note of a city that lets none be canceled that is dearer than 50,000 reais."""
    dear = BASES["between"].replace("<cLocEmi>3550308<", "<cLocEmi>3509502<").replace("1000.00", "50000.01")
    note = replace(document(PLACE, IN_CAMPINAS, ISSUED_AT), xml=dear.encode(), issuer=CNPJ)
    Ledger(world.store).keep_document(note)


def happened(world: World, type_: str, author: str = TAKER_CNPJ) -> None:
    event = StoredEvent(
        environment=HOMOLOGATION,
        access_key=KEY,
        type=type_,
        sequence=1,
        author=author,
        authorizer="SEFIN",
        registered_at=world.now,
        code="201",
        protocol="0",
        xml=b"<pedRegEvento/>",
        answer_xml=b"<evento/>",
    )
    Ledger(world.store).keep_event(event)


@dataclass(frozen=True)
class Breaking:
    """What breaks one rule, and nothing else, of an event that is taken."""

    code: str
    kind: str = "cancel"
    edit: Edit = unchanged
    now: datetime = ISSUED_AT
    place: Place = PLACE
    prepare: Callable[[World], object] = lambda _: None
    issue: Callable[[SampleAuthority], SampleCertificate] | None = None
    after_signing: Edit = unchanged
    switches: dict[str, Any] = field(default_factory=dict)
    asked_key: str = ""
    """Where it is sent, if that is not the address of its note."""

    def __str__(self) -> str:
        return f"{self.code}-{self.kind}"


def request(kind: Kind, edit: Edit, signer: Signer) -> bytes:
    xml = (
        f'<pedRegEvento xmlns="{NAMESPACE}" versao="1.01"><infPedReg Id="PRE{KEY}{kind.type}">'
        "<tpAmb>2</tpAmb><verAplic>teste 1.0</verAplic><dhEvento>2026-11-14T10:00:00-03:00</dhEvento>"
        f"<CNPJAutor>{kind.author}</CNPJAutor><chNFSe>{KEY}</chNFSe>"
        f"<e{kind.type}>{kind.detail}</e{kind.type}></infPedReg></pedRegEvento>"
    )
    root = etree.fromstring(xml)
    edit(root)
    return resigned(root, signer)


def about(key: str) -> Edit:
    """Of another note."""

    def edit(root: etree._Element) -> None:
        told = at(root, "infPedReg")
        told.set("Id", f"PRE{key}{told.get('Id', '')[-6:]}")
        at(root, "infPedReg/chNFSe").text = key

    return edit


def with_id(id_: str) -> Edit:
    return lambda root: at(root, "infPedReg").set("Id", id_)


def by_person(cpf: str) -> Edit:
    return becomes("infPedReg/CNPJAutor", f"<CPFAutor>{cpf}</CPFAutor>")


def signer_for(kind: Kind, breaking: Breaking, court: ServiceCourt) -> Signer:
    if breaking.issue:
        return signer_of(breaking.issue(court.authority))
    return court.signer if kind.author == CNPJ else signer_of(of_company(court.authority, kind.author))


def verdict(
    xml: bytes, breaking: Breaking, court: ServiceCourt, off: frozenset[str] = frozenset()
) -> list[str]:
    around = world(court.trust, breaking.now, rules_off=off, **breaking.switches)
    with closing(around.store):
        issued(around)
        breaking.prepare(around)
        root = etree.fromstring(xml)
        asked_key = breaking.asked_key or at(root, "infPedReg/chNFSe").text or ""
        case = EventCase(root, breaking.place, around, asked_key)
        return [one.code for one in broken_by((*EVENT_SIGNATURE_RULES, *EVENT_RULES), case, off)]


OF_SIGNATURES = [
    Breaking("E1989", after_signing=without_signature),
    Breaking("E1980", after_signing=says("infPedReg/verAplic", "outro")),
    Breaking("E1986", issue=FLAWED[Flaw.INVALID]),
    Breaking("E1983", issue=FLAWED[Flaw.OUT_OF_DATE]),
    Breaking("E1991", issue=partial(of_company, tax_id=OTHER_CNPJ)),
]
OF_NOTES = [
    Breaking("E1827", edit=with_id(f"PRE{KEY}105102")),
    Breaking("E1827", asked_key=IN_CAMPINAS),
    Breaking("E1845", place=PLACE._replace(environment=PRODUCTION), prepare=in_production),
    Breaking("E1831", edit=about("35503082211222333000181000000000000226111234567894")),
    Breaking("E0831", edit=about(OF_THE_CITY), prepare=partial(issued, key=OF_THE_CITY)),
]
OF_AUTHORS = [
    Breaking(
        "E0813", edit=says("infPedReg/CNPJAutor", OTHER_CNPJ), issue=partial(of_company, tax_id=OTHER_CNPJ)
    ),
    Breaking("E0813", "confirm_taker", says("infPedReg/CNPJAutor", CNPJ), issue=of_company),
    Breaking("E0816", edit=by_person(PERSON), issue=partial(of_person, cpf=PERSON)),
]
OF_TIMES = [
    Breaking("E1843", now=ISSUED_AT - timedelta(minutes=2)),
    Breaking("E0822", now=ISSUED_AT + 730 * DAY + DAY),
    Breaking("E0823", edit=about(IN_CAMPINAS), prepare=in_campinas),
]
OF_EARLIER_EVENTS = [
    *(
        Breaking(code, kind, prepare=partial(happened, type_="105102"))
        for code, kind in zip(
            ("E0840", "E0848", "E0860", "E0861", "E0862", "E0864", "E0866", "E0868"), KINDS, strict=True
        )
    ),
    Breaking("E0840", prepare=partial(happened, type_="101103")),
    Breaking("E0840", prepare=partial(happened, type_="203202")),
    Breaking("E0848", "analyse", prepare=partial(happened, type_="204203")),
    Breaking("E0860", "confirm", prepare=partial(happened, type_="202201", author=CNPJ)),
    Breaking("E0864", "refuse", prepare=partial(happened, type_="202205", author=CNPJ)),
    Breaking("E1833", "confirm_taker", prepare=partial(happened, type_="203206")),
    Breaking("E1833", "refuse_between", prepare=partial(happened, type_="204203", author=OTHER_CNPJ)),
]
OF_REASONS = [
    Breaking(
        code,
        kind,
        both(
            says(f"infPedReg/e{KINDS[kind].type}/cMotivo", "9"),
            without(f"infPedReg/e{KINDS[kind].type}/xMotivo"),
        ),
    )
    for code, kind in (("E1944", "refuse"), ("E1949", "refuse_taker"), ("E1954", "refuse_between"))
]
BREAKINGS = [*OF_SIGNATURES, *OF_NOTES, *OF_AUTHORS, *OF_TIMES, *OF_EARLIER_EVENTS, *OF_REASONS]


class TestEventRules:
    @pytest.mark.parametrize("name", KINDS)
    def test_what_they_are_broken_by_is_taken_unbroken(self, name: str, service_court: ServiceCourt) -> None:
        kind = KINDS[name]
        whole = Breaking("", name)
        xml = request(kind, unchanged, signer_for(kind, whole, service_court))
        assert faults(xml, Schema.NFSE_EVENT) == []
        assert verdict(xml, whole, service_court) == []

    @pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
    def test_each_speaks_for_itself(self, breaking: Breaking, service_court: ServiceCourt) -> None:
        kind = KINDS[breaking.kind]
        root = etree.fromstring(request(kind, breaking.edit, signer_for(kind, breaking, service_court)))
        breaking.after_signing(root)
        xml = etree.tostring(root)
        assert faults(xml, Schema.NFSE_EVENT) == []
        assert verdict(xml, breaking, service_court) == [breaking.code]
        assert verdict(xml, breaking, service_court, frozenset({breaking.code})) == []

    def test_a_note_may_be_canceled_on_the_last_day(self, service_court: ServiceCourt) -> None:
        last = Breaking("", now=ISSUED_AT + 730 * DAY)
        xml = request(KINDS["cancel"], unchanged, service_court.signer)
        assert verdict(xml, last, service_court) == []

    def test_who_issued_a_note_may_refuse_what_it_has_confirmed(self, service_court: ServiceCourt) -> None:
        confirmed = Breaking("", "refuse", prepare=partial(happened, type_="202201", author=CNPJ))
        xml = request(KINDS["refuse"], unchanged, service_court.signer)
        assert verdict(xml, confirmed, service_court) == []

    def test_a_refusal_does_not_keep_a_note_from_being_canceled(self, service_court: ServiceCourt) -> None:
        refused = Breaking("", prepare=partial(happened, type_="203206"))
        xml = request(KINDS["cancel"], unchanged, service_court.signer)
        assert verdict(xml, refused, service_court) == []

    def test_what_only_a_city_may_tell_is_nobody_else_s(self, service_court: ServiceCourt) -> None:
        granted = Kind(
            "105104",
            "<xDesc>Cancelamento de NFS-e Deferido por Análise Fiscal</xDesc>"
            f"<CPFAgTrib>{PERSON}</CPFAgTrib><cMotivo>1</cMotivo><xMotivo>Pedido que foi aceito</xMotivo>",
        )
        xml = request(granted, unchanged, service_court.signer)
        assert faults(xml, Schema.NFSE_EVENT) == []
        assert verdict(xml, Breaking(""), service_court) == ["E0813"]

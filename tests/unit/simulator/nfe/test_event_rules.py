"""Each rule about events, broken by one change of an event that is registered."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from lxml import etree

from carimbo.fiscal.layouts.nfe_v4.events import OperationConfirmed
from carimbo.fiscal.signature import Signer
from carimbo.simulator.sefaz.limits import REFUSALS_OF_AN_EVENT, REFUSED_EVENT, spend
from support import CNPJ
from unit.fiscal.desk import FAR_AWAY, LONG_AGO
from unit.fiscal.goods.support import BUYER_CNPJ, CPF, ISSUED_AT, NORMAL, emission, item, signer_of
from unit.simulator.mutating import Edit, at, says, without
from unit.simulator.nfe.counter import EVENT, place
from unit.simulator.nfe.registrar import (
    CORRECTION,
    OFFLINE,
    Base,
    EventBreaking,
    Registrar,
    Told,
    rekeyed,
    replaced_by,
    with_digit,
)

AT_AN = place(EVENT, "AN")
AT_SVRS = place(EVENT, "SVRS")
AT_SVCAN = place(EVENT, "SVCAN")
AMONG_RECEIPTS = place(EVENT, family="nfce")
AMONG_INVOICES = place(EVENT)
WRONG_CPF = "52998224700"
NORMAL_RECEIPT = emission(number=5)


def held_by(authorizer: str) -> Callable[[Registrar], None]:
    return lambda registrar: registrar.change("update documents set authorizer = ?", authorizer)


def detail(tag: str, text: str) -> Edit:
    return says(f"infEvento/detEvento/{tag}", text)


def canceled(registrar: Registrar) -> None:
    registrar.change("update documents set status = 'canceled' where substr(access_key, 35, 1) = '1'")


def replacement_canceled(registrar: Registrar) -> None:
    registrar.change("update documents set status = 'canceled' where substr(access_key, 35, 1) = '9'")


def refused_twenty_times(registrar: Registrar) -> None:
    key = registrar.company.ledger.documents()[0].access_key
    for _ in range(REFUSALS_OF_AN_EVENT):
        spend(registrar.company.world, CNPJ, REFUSED_EVENT, f"ID110111{key}01")


def corrected(registrar: Registrar) -> None:
    key = registrar.company.ledger.documents()[0].access_key
    registrar.register(registrar.by_issuer(key, CORRECTION))


def confirmed(registrar: Registrar) -> None:
    key = registrar.company.ledger.documents()[0].access_key
    registrar.register(registrar.by_recipient(key, OperationConfirmed()))


def authorised_later(registrar: Registrar) -> None:
    later = ISSUED_AT + timedelta(minutes=30)
    registrar.change("update documents set received_at = ?", later.isoformat())


def replaced_late(registrar: Registrar) -> None:
    late = (ISSUED_AT + timedelta(hours=3)).isoformat()
    registrar.change("update documents set issued_at = ? where substr(access_key, 35, 1) = '9'", late)


def correction_of_a_receipt(registrar: Registrar) -> Told:
    key = registrar.company.ledger.documents()[0].access_key
    return registrar.by_issuer(key, CORRECTION)


def replacement_by_another(**changes: Any) -> Base:
    """A substitution whose new receipt is made otherwise."""

    def make(registrar: Registrar) -> Told:
        first = registrar.company.ledger.documents()[-1]
        registrar.company.now = ISSUED_AT
        other = registrar.sold_at_the_counter(**changes)
        return replaced_by(registrar, first, other.access_key)

    return make


def of_an_offline_receipt(registrar: Registrar) -> Told:
    registrar.company.now = ISSUED_AT
    first = registrar.sold_at_the_counter(under=replace(OFFLINE, number=8))
    other = registrar.sold_at_the_counter(under=replace(OFFLINE, number=9))
    return replaced_by(registrar, first, other.access_key)


def replaced_by_itself(registrar: Registrar) -> Told:
    first = registrar.company.ledger.documents()[-1]
    return replaced_by(registrar, first, first.access_key)


def wrong_digit(root: etree._Element, path: str = "infEvento/chNFe") -> None:
    found = at(root, path)
    key = found.text or ""
    found.text = key[:43] + str((int(key[43]) + 1) % 10)


def replacement_with_a_wrong_digit(root: etree._Element) -> None:
    wrong_digit(root, "infEvento/detEvento/chNFeRef")


def with_another_id(root: etree._Element) -> None:
    at(root, "infEvento").set("Id", f"ID{'1' * 52}")


def replaced_by_nothing(root: etree._Element) -> None:
    found = at(root, "infEvento/detEvento/chNFeRef")
    found.text = with_digit((found.text or "")[:25] + "000000088" + (found.text or "")[34:])


def told_by_a_person(cpf: str) -> Edit:
    def edit(root: etree._Element) -> None:
        found = at(root, "infEvento/CNPJ")
        found.tag = found.tag.replace("CNPJ", "CPF")
        found.text = cpf

    return edit


def person(cpf: str) -> Callable[[Registrar], Signer]:
    def signer(registrar: Registrar) -> Signer:
        return signer_of(registrar.authority.issue_person(cpf, "MARIA DA SILVA", LONG_AGO, FAR_AWAY))

    return signer


BREAKINGS = [
    EventBreaking("656", "cancellation", prepare=refused_twenty_times),
    EventBreaking("491", "cancellation", says("infEvento/cOrgao", "91"), where=AT_AN),
    EventBreaking("586", "correction", where=AT_SVCAN, prepare=held_by("SVCAN"), also_off={"114"}),
    EventBreaking("114", "cancellation", where=AT_SVCAN, prepare=held_by("SVCAN")),
    EventBreaking("492", "cancellation", says("infEvento/verEvento", "2.00"), also_off={"215"}),
    EventBreaking("594", "cancellation", says("infEvento/nSeqEvento", "2")),
    EventBreaking("594", "correction", says("infEvento/nSeqEvento", "21"), also_off={"215"}),
    EventBreaking("594", "confirmed", says("infEvento/nSeqEvento", "3")),
    EventBreaking("594", "acknowledged", says("infEvento/nSeqEvento", "2")),
    EventBreaking("215", "cancellation", says("infEvento/dhEvento", "2026-11-14T10:30:00.5-03:00")),
    EventBreaking("493", "cancellation", detail("xJust", "curta")),
    EventBreaking("493", "substitution", detail("xJust", "curta")),
    EventBreaking("493", "substitution", without("infEvento/detEvento/verAplic")),
    EventBreaking("297", "cancellation", after_signing=detail("xJust", "Outra razão para cancelar")),
    EventBreaking("213", "cancellation", signer=lambda registrar: registrar.buyer.signer),
    EventBreaking(
        "572", "cancellation", lambda root: at(root, "infEvento").set("Id", "ID" + "1" * 52), False
    ),
    EventBreaking("250", "cancellation", where=AT_SVRS, prepare=held_by("SVRS")),
    EventBreaking("657", "confirmed", says("infEvento/cOrgao", "35")),
    EventBreaking("252", "cancellation", says("infEvento/tpAmb", "1")),
    EventBreaking("489", "unknown_document", says("infEvento/CNPJ", BUYER_CNPJ[:12] + "00")),
    EventBreaking("490", "unknown_document", told_by_a_person(WRONG_CPF), signer=person(WRONG_CPF)),
    EventBreaking("408", "receipt", told_by_a_person(CPF), signer=person(CPF), also_off={"574"}),
    EventBreaking("236", "unknown_document", wrong_digit),
    EventBreaking("614", "unknown_document", rekeyed(0, "99")),
    EventBreaking("615", "unknown_document", rekeyed(2, "27")),
    EventBreaking("616", "unknown_document", rekeyed(4, "13")),
    EventBreaking("617", "unknown_document", rekeyed(6, "11222333000182")),
    EventBreaking("618", "unknown_document", rekeyed(20, "57")),
    EventBreaking("619", "unknown_document", rekeyed(25, "000000000")),
    EventBreaking("450", "receipt", where=AMONG_INVOICES),
    EventBreaking("775", "cancellation", where=AMONG_RECEIPTS),
    EventBreaking(
        "249", "cancellation", says("infEvento/cOrgao", "33"), where=AT_SVRS, prepare=held_by("SVRS")
    ),
    EventBreaking("574", "cancellation", says("infEvento/CNPJ", "11222333000262")),
    EventBreaking("578", "cancellation", says("infEvento/dhEvento", "2026-11-14T12:00:00-03:00")),
    EventBreaking("577", "cancellation", says("infEvento/dhEvento", "2026-11-14T09:59:00-03:00")),
    EventBreaking("577", "confirmed", says("infEvento/dhEvento", "2026-11-14T09:59:00-03:00")),
    EventBreaking("573", "correction", prepare=corrected),
    EventBreaking("784", "receipt", make=correction_of_a_receipt),
    EventBreaking("494", "cancellation", rekeyed(25, "000000088")),
    EventBreaking("420", "cancellation", prepare=canceled),
    EventBreaking("580", "correction", prepare=canceled),
    EventBreaking(
        "579",
        "cancellation",
        says("infEvento/dhEvento", "2026-11-14T10:10:00-03:00"),
        prepare=authorised_later,
    ),
    EventBreaking("222", "cancellation", detail("nProt", "135260000000009")),
    EventBreaking("501", "cancellation", later=timedelta(hours=720)),
    EventBreaking("501", "receipt", later=timedelta(minutes=21)),
    EventBreaking("501", "substitution", later=timedelta(hours=168)),
    EventBreaking("221", "cancellation", prepare=confirmed),
    EventBreaking("920", "substitution", make=of_an_offline_receipt),
    EventBreaking("455", "substitution", detail("cOrgaoAutor", "33")),
    EventBreaking("466", "substitution", detail("tpAutor", "2")),
    EventBreaking("910", "substitution", replacement_with_a_wrong_digit, also_off={"912"}),
    EventBreaking("911", "substitution", make=replaced_by_itself, also_off={"921"}),
    EventBreaking("921", "substitution", make=replacement_by_another(under=NORMAL_RECEIPT)),
    EventBreaking("912", "substitution", replaced_by_nothing),
    EventBreaking("913", "substitution", prepare=replacement_canceled),
    EventBreaking("914", "substitution", prepare=replaced_late),
    EventBreaking(
        "915",
        "substitution",
        make=replacement_by_another(under=replace(OFFLINE, number=6), items=[item(quantity=3)]),
    ),
    EventBreaking(
        "916", "substitution", make=replacement_by_another(under=replace(OFFLINE, number=6), by=NORMAL)
    ),
    EventBreaking(
        "918",
        "substitution",
        make=replacement_by_another(
            under=replace(OFFLINE, number=6), items=[item(quantity=1), item(quantity=1)]
        ),
    ),
    EventBreaking("595", "not_performed", without("infEvento/detEvento/xJust")),
    EventBreaking(
        "575", "confirmed", says("infEvento/CNPJ", CNPJ), signer=lambda registrar: registrar.company.signer
    ),
    EventBreaking("596", "acknowledged", later=timedelta(days=10)),
    EventBreaking("596", "confirmed", later=timedelta(days=90)),
    EventBreaking("650", "acknowledged", prepare=canceled),
    EventBreaking("651", "denied", prepare=canceled),
    EventBreaking("655", "acknowledged", prepare=confirmed),
]


class TestEventRules:
    @pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
    def test_a_broken_rule_alone_refuses(self, breaking: EventBreaking, registrar: Registrar) -> None:
        breaking.prove(registrar)

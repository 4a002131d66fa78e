"""Each event rule, broken by one change of an accepted event."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from lxml import etree

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.nfe_v4.events import OperationConfirmed
from carimbo.simulator.limits import REFUSALS_OF_AN_EVENT, REFUSED_EVENT, count_use
from support import CNPJ
from unit.fiscal.command_files import FAR_AWAY, LONG_AGO
from unit.fiscal.goods.support import BUYER_CNPJ, CPF, ISSUED_AT, NORMAL, emission, item, signer_of
from unit.simulator.mutating import Edit, at, says, without
from unit.simulator.nfe.event_scenario import (
    CORRECTION,
    OFFLINE,
    Base,
    EventViolation,
    Scenario,
    SentEvent,
    rekeyed,
    replaced_by,
    with_digit,
)
from unit.simulator.nfe.sefaz_client import EVENT, service_path

AT_AN = service_path(EVENT, "AN")
AT_SVRS = service_path(EVENT, "SVRS")
AT_SVCAN = service_path(EVENT, "SVCAN")
AMONG_RECEIPTS = service_path(EVENT, family="nfce")
AMONG_INVOICES = service_path(EVENT)
WRONG_CPF = "52998224700"
NORMAL_RECEIPT = emission(number=5)


def held_by(authorizer: str) -> Callable[[Scenario], None]:
    return lambda scenario: scenario.change("update documents set authorizer = ?", authorizer)


def detail(tag: str, text: str) -> Edit:
    return says(f"infEvento/detEvento/{tag}", text)


def canceled(scenario: Scenario) -> None:
    scenario.change("update documents set status = 'canceled' where substr(access_key, 35, 1) = '1'")


def replacement_canceled(scenario: Scenario) -> None:
    scenario.change("update documents set status = 'canceled' where substr(access_key, 35, 1) = '9'")


def refused_twenty_times(scenario: Scenario) -> None:
    key = scenario.company.ledger.documents()[0].access_key
    for _ in range(REFUSALS_OF_AN_EVENT):
        count_use(scenario.company.context, CNPJ, REFUSED_EVENT, f"ID110111{key}01")


def corrected(scenario: Scenario) -> None:
    key = scenario.company.ledger.documents()[0].access_key
    scenario.register(scenario.by_issuer(key, CORRECTION))


def confirmed(scenario: Scenario) -> None:
    key = scenario.company.ledger.documents()[0].access_key
    scenario.register(scenario.by_recipient(key, OperationConfirmed()))


def authorized_later(scenario: Scenario) -> None:
    later = ISSUED_AT + timedelta(minutes=30)
    scenario.change("update documents set received_at = ?", later.isoformat())


def replaced_late(scenario: Scenario) -> None:
    late = (ISSUED_AT + timedelta(hours=3)).isoformat()
    scenario.change("update documents set issued_at = ? where substr(access_key, 35, 1) = '9'", late)


def correction_of_a_receipt(scenario: Scenario) -> SentEvent:
    key = scenario.company.ledger.documents()[0].access_key
    return scenario.by_issuer(key, CORRECTION)


def replacement_by_another(**changes: Any) -> Base:
    """Makes a substitution with another new receipt."""

    def make(scenario: Scenario) -> SentEvent:
        first = scenario.company.ledger.documents()[-1]
        scenario.company.now = ISSUED_AT
        other = scenario.sold_receipt(**changes)
        return replaced_by(scenario, first, other.access_key)

    return make


def of_an_offline_receipt(scenario: Scenario) -> SentEvent:
    scenario.company.now = ISSUED_AT
    first = scenario.sold_receipt(under=replace(OFFLINE, number=8))
    other = scenario.sold_receipt(under=replace(OFFLINE, number=9))
    return replaced_by(scenario, first, other.access_key)


def replaced_by_itself(scenario: Scenario) -> SentEvent:
    first = scenario.company.ledger.documents()[-1]
    return replaced_by(scenario, first, first.access_key)


def wrong_digit(root: etree._Element, path: str = "infEvento/chNFe") -> None:
    element = at(root, path)
    key = element.text or ""
    element.text = key[:43] + str((int(key[43]) + 1) % 10)


def replacement_with_a_wrong_digit(root: etree._Element) -> None:
    wrong_digit(root, "infEvento/detEvento/chNFeRef")


def with_another_id(root: etree._Element) -> None:
    at(root, "infEvento").set("Id", f"ID{'1' * 52}")


def replaced_by_nothing(root: etree._Element) -> None:
    element = at(root, "infEvento/detEvento/chNFeRef")
    element.text = with_digit((element.text or "")[:25] + "000000088" + (element.text or "")[34:])


def authored_by_a_person(cpf: str) -> Edit:
    def edit(root: etree._Element) -> None:
        element = at(root, "infEvento/CNPJ")
        element.tag = element.tag.replace("CNPJ", "CPF")
        element.text = cpf

    return edit


def person(cpf: str) -> Callable[[Scenario], Signer]:
    def signer(scenario: Scenario) -> Signer:
        return signer_of(scenario.authority.issue_person(cpf, "MARIA DA SILVA", LONG_AGO, FAR_AWAY))

    return signer


VIOLATIONS = [
    EventViolation("656", "cancellation", prepare=refused_twenty_times),
    EventViolation("491", "cancellation", says("infEvento/cOrgao", "91"), where=AT_AN),
    EventViolation("586", "correction", where=AT_SVCAN, prepare=held_by("SVCAN"), also_off={"114"}),
    EventViolation("114", "cancellation", where=AT_SVCAN, prepare=held_by("SVCAN")),
    EventViolation("492", "cancellation", says("infEvento/verEvento", "2.00"), also_off={"215"}),
    EventViolation("594", "cancellation", says("infEvento/nSeqEvento", "2")),
    EventViolation("594", "correction", says("infEvento/nSeqEvento", "21"), also_off={"215"}),
    EventViolation("594", "confirmed", says("infEvento/nSeqEvento", "3")),
    EventViolation("594", "acknowledged", says("infEvento/nSeqEvento", "2")),
    EventViolation("215", "cancellation", says("infEvento/dhEvento", "2026-11-14T10:30:00.5-03:00")),
    EventViolation("493", "cancellation", detail("xJust", "curta")),
    EventViolation("493", "substitution", detail("xJust", "curta")),
    EventViolation("493", "substitution", without("infEvento/detEvento/verAplic")),
    EventViolation("297", "cancellation", after_signing=detail("xJust", "Outra razão para cancelar")),
    EventViolation("213", "cancellation", signer=lambda scenario: scenario.buyer.signer),
    EventViolation(
        "572", "cancellation", lambda root: at(root, "infEvento").set("Id", "ID" + "1" * 52), False
    ),
    EventViolation("250", "cancellation", where=AT_SVRS, prepare=held_by("SVRS")),
    EventViolation("657", "confirmed", says("infEvento/cOrgao", "35")),
    EventViolation("252", "cancellation", says("infEvento/tpAmb", "1")),
    EventViolation("489", "unknown_document", says("infEvento/CNPJ", BUYER_CNPJ[:12] + "00")),
    EventViolation("490", "unknown_document", authored_by_a_person(WRONG_CPF), signer=person(WRONG_CPF)),
    EventViolation("408", "receipt", authored_by_a_person(CPF), signer=person(CPF), also_off={"574"}),
    EventViolation("236", "unknown_document", wrong_digit),
    EventViolation("614", "unknown_document", rekeyed(0, "99")),
    EventViolation("615", "unknown_document", rekeyed(2, "27")),
    EventViolation("616", "unknown_document", rekeyed(4, "13")),
    EventViolation("617", "unknown_document", rekeyed(6, "11222333000182")),
    EventViolation("618", "unknown_document", rekeyed(20, "57")),
    EventViolation("619", "unknown_document", rekeyed(25, "000000000")),
    EventViolation("450", "receipt", where=AMONG_INVOICES),
    EventViolation("775", "cancellation", where=AMONG_RECEIPTS),
    EventViolation(
        "249", "cancellation", says("infEvento/cOrgao", "33"), where=AT_SVRS, prepare=held_by("SVRS")
    ),
    EventViolation("574", "cancellation", says("infEvento/CNPJ", "11222333000262")),
    EventViolation("578", "cancellation", says("infEvento/dhEvento", "2026-11-14T12:00:00-03:00")),
    EventViolation("577", "cancellation", says("infEvento/dhEvento", "2026-11-14T09:59:00-03:00")),
    EventViolation("577", "confirmed", says("infEvento/dhEvento", "2026-11-14T09:59:00-03:00")),
    EventViolation("573", "correction", prepare=corrected),
    EventViolation("784", "receipt", make=correction_of_a_receipt),
    EventViolation("494", "cancellation", rekeyed(25, "000000088")),
    EventViolation("420", "cancellation", prepare=canceled),
    EventViolation("580", "correction", prepare=canceled),
    EventViolation(
        "579",
        "cancellation",
        says("infEvento/dhEvento", "2026-11-14T10:10:00-03:00"),
        prepare=authorized_later,
    ),
    EventViolation("222", "cancellation", detail("nProt", "135260000000009")),
    EventViolation("501", "cancellation", later=timedelta(hours=720)),
    EventViolation("501", "receipt", later=timedelta(minutes=21)),
    EventViolation("501", "substitution", later=timedelta(hours=168)),
    EventViolation("221", "cancellation", prepare=confirmed),
    EventViolation("920", "substitution", make=of_an_offline_receipt),
    EventViolation("455", "substitution", detail("cOrgaoAutor", "33")),
    EventViolation("466", "substitution", detail("tpAutor", "2")),
    EventViolation("910", "substitution", replacement_with_a_wrong_digit, also_off={"912"}),
    EventViolation("911", "substitution", make=replaced_by_itself, also_off={"921"}),
    EventViolation("921", "substitution", make=replacement_by_another(under=NORMAL_RECEIPT)),
    EventViolation("912", "substitution", replaced_by_nothing),
    EventViolation("913", "substitution", prepare=replacement_canceled),
    EventViolation("914", "substitution", prepare=replaced_late),
    EventViolation(
        "915",
        "substitution",
        make=replacement_by_another(under=replace(OFFLINE, number=6), items=[item(quantity=3)]),
    ),
    EventViolation(
        "916", "substitution", make=replacement_by_another(under=replace(OFFLINE, number=6), by=NORMAL)
    ),
    EventViolation(
        "918",
        "substitution",
        make=replacement_by_another(
            under=replace(OFFLINE, number=6), items=[item(quantity=1), item(quantity=1)]
        ),
    ),
    EventViolation("595", "not_performed", without("infEvento/detEvento/xJust")),
    EventViolation(
        "575", "confirmed", says("infEvento/CNPJ", CNPJ), signer=lambda scenario: scenario.company.signer
    ),
    EventViolation("596", "acknowledged", later=timedelta(days=10)),
    EventViolation("596", "confirmed", later=timedelta(days=90)),
    EventViolation("650", "acknowledged", prepare=canceled),
    EventViolation("651", "denied", prepare=canceled),
    EventViolation("655", "acknowledged", prepare=confirmed),
]


class TestEventRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_event_rule_refuses_the_event(self, violation: EventViolation, scenario: Scenario) -> None:
        violation.check(scenario)

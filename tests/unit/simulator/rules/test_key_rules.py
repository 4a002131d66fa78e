"""The access key, its parts, and the place that a document is sent to."""

from functools import partial
from typing import Any

import pytest
from lxml import etree

from carimbo.simulator.controls import Contingency
from carimbo.simulator.keys import check_digit
from carimbo.simulator.place import HOMOLOGATION, PRODUCTION, Place
from carimbo.simulator.rule import Refusal
from unit.fiscal.goods.support import CPF
from unit.simulator.mutating import AT_SP, Edit, after, at, both, mutated, says
from unit.simulator.rules.breaking import NFCE_AT_SP, Breaking, Court, base
from unit.simulator.rules.certificates import of_person

AT_SVCAN = Place("SVCAN", HOMOLOGATION, "nfe", "NFeAutorizacao4")
SVC_ON = {"contingency": {"SVCAN": Contingency.ON}}
IN_CONTINGENCY = says("infNFe/ide/tpEmis", "6")
ISSUED_BY_AN_AUTHORITY = both(says("infNFe/ide/procEmi", "1"), says("infNFe/ide/serie", "0"))
ANNOUNCED = both(
    says("infNFe/ide/tpEmis", "4"),
    after("infNFe/ide/verProc", "xJust", "SEM CONEXAO COM A SEFAZ"),
    after("infNFe/ide/verProc", "dhCont", "2026-11-14T09:00:00-03:00"),
)
BY_A_PERSON = partial(of_person, cpf=CPF)


def another_key(root: etree._Element) -> None:
    signed = at(root, "infNFe")
    first = signed.get("Id", "")[3:37] + "900000009"
    signed.set("Id", f"NFe{first}{check_digit(first)}")


def another_digit(root: etree._Element) -> None:
    signed, digit = at(root, "infNFe"), at(root, "infNFe/ide/cDV")
    digit.text = str((int(digit.text or "0") + 1) % 10)
    signed.set("Id", signed.get("Id", "")[:-1] + digit.text)


def of_person_with(cpf: str) -> Edit:
    def edit(root: etree._Element) -> None:
        issuer = at(root, "infNFe/emit/CNPJ")
        issuer.tag = issuer.tag.replace("CNPJ", "CPF")
        issuer.text = cpf

    return edit


BREAKINGS = [
    Breaking("502", "nfe", another_key, keyed=False),
    Breaking("226", "nfe", place=AT_SP._replace(authorizer="SVRS")),
    Breaking("897", "nfe", says("infNFe/ide/cNF", "12345678")),
    Breaking("897", "nfe", says("infNFe/ide/cNF", "00000003")),
    Breaking("450", "nfce", place=AT_SP),
    Breaking("775", "nfe", place=NFCE_AT_SP),
    Breaking("570", "nfe", IN_CONTINGENCY),
    Breaking("713", "nfe", place=AT_SVCAN, switches=SVC_ON),
    Breaking("114", "nfe", IN_CONTINGENCY, place=AT_SVCAN),
    Breaking("253", "nfe", another_digit, keyed=False),
    Breaking("252", "nfe", place=AT_SP._replace(environment=PRODUCTION)),
    Breaking("244", "nfe", says("infNFe/ide/serie", "890")),
    Breaking("451", "nfe", ISSUED_BY_AN_AUTHORITY),
    Breaking("503", "nfe", says("infNFe/ide/serie", "920")),
    Breaking("495", "nfe", of_person_with(CPF), issue=BY_A_PERSON),
    Breaking("468", "nfe", ANNOUNCED),
]


class TestKeyRules:
    @pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
    def test_each_speaks_for_itself(self, breaking: Breaking, court: Court) -> None:
        court.prove(breaking)

    def test_a_person_may_issue_in_a_series_for_people(self, court: Court) -> None:
        right = Breaking(
            "495", "nfe", both(of_person_with(CPF), says("infNFe/ide/serie", "920")), issue=BY_A_PERSON
        )
        assert court.verdict_on(court.broken(right), right) is None


class TestContingency:
    """An SVC takes documents of contingency while it works for their state, and no others."""

    def verdict(self, court: Court, **switches: Any) -> Refusal | None:
        xml = mutated(base("nfe", court.signer), IN_CONTINGENCY, court.signer)
        return court.verdict(xml, place=AT_SVCAN, **switches)

    def test_it_is_closed_while_the_home_authorizer_works(self, court: Court) -> None:
        assert self.verdict(court, outages={"SVRS": "108"}) == Refusal("114")

    def test_it_is_open_while_the_home_authorizer_is_out_of_service(self, court: Court) -> None:
        assert self.verdict(court, outages={"SP": "109"}) is None

    @pytest.mark.parametrize("switch", [Contingency.ON, Contingency.CLOSING])
    def test_it_is_open_when_it_is_switched_on(self, switch: Contingency, court: Court) -> None:
        assert self.verdict(court, contingency={"SVCAN": switch}) is None

    def test_it_is_closed_when_it_is_switched_off(self, court: Court) -> None:
        off = {"SVCAN": Contingency.OFF}
        assert self.verdict(court, contingency=off, outages={"SP": "109"}) == Refusal("114")

    def test_it_does_not_work_for_states_of_the_other_one(self, court: Court) -> None:
        xml = mutated(base("nfe", court.signer), says("infNFe/ide/tpEmis", "7"), court.signer)
        at_rs = AT_SVCAN._replace(authorizer="SVCRS")
        assert court.verdict(xml, place=at_rs, contingency={"SVCRS": Contingency.ON}) == Refusal("226")

"""The access key, its parts, and the path that a document is sent to."""

from functools import partial
from typing import Any

import pytest
from lxml import etree

from carimbo.simulator.controls import ContingencySwitch
from carimbo.simulator.family import HOMOLOGATION, PRODUCTION, ServicePath
from carimbo.simulator.identifiers import check_digit
from carimbo.simulator.rules import AuthorityVerdict
from unit.fiscal.goods.support import CPF
from unit.simulator.mutating import AT_SP, Edit, after, at, both, mutated, says
from unit.simulator.rules.breaking import NFCE_AT_SP, InvoiceRuleTester, Violation, base
from unit.simulator.rules.certificates import of_person

AT_SVCAN = ServicePath("SVCAN", HOMOLOGATION, "nfe", "NFeAutorizacao4")
SVC_ON = {"contingency": {"SVCAN": ContingencySwitch.ON}}
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


VIOLATIONS = [
    Violation("502", "nfe", another_key, keyed=False),
    Violation("226", "nfe", service_path=AT_SP._replace(authorizer="SVRS")),
    Violation("897", "nfe", says("infNFe/ide/cNF", "12345678")),
    Violation("897", "nfe", says("infNFe/ide/cNF", "00000003")),
    Violation("450", "nfce", service_path=AT_SP),
    Violation("775", "nfe", service_path=NFCE_AT_SP),
    Violation("570", "nfe", IN_CONTINGENCY),
    Violation("713", "nfe", service_path=AT_SVCAN, switches=SVC_ON),
    Violation("114", "nfe", IN_CONTINGENCY, service_path=AT_SVCAN),
    Violation("253", "nfe", another_digit, keyed=False),
    Violation("252", "nfe", service_path=AT_SP._replace(environment=PRODUCTION)),
    Violation("244", "nfe", says("infNFe/ide/serie", "890")),
    Violation("451", "nfe", ISSUED_BY_AN_AUTHORITY),
    Violation("503", "nfe", says("infNFe/ide/serie", "920")),
    Violation("495", "nfe", of_person_with(CPF), issue=BY_A_PERSON),
    Violation("468", "nfe", ANNOUNCED),
]


class TestKeyRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_document(self, violation: Violation, tester: InvoiceRuleTester) -> None:
        tester.check(violation)

    def test_person_may_issue_in_a_series_for_people(self, tester: InvoiceRuleTester) -> None:
        right = Violation(
            "495", "nfe", both(of_person_with(CPF), says("infNFe/ide/serie", "920")), issue=BY_A_PERSON
        )
        assert tester.verdict_on(tester.broken(right), right) is None


class TestContingency:
    """An SVC accepts contingency documents of a state while it serves it, and no others."""

    def verdict(self, tester: InvoiceRuleTester, **switches: Any) -> AuthorityVerdict | None:
        xml = mutated(base("nfe", tester.signer), IN_CONTINGENCY, tester.signer)
        return tester.verdict(xml, service_path=AT_SVCAN, **switches)

    def test_svc_is_inactive_while_the_home_authorizer_works(self, tester: InvoiceRuleTester) -> None:
        assert self.verdict(tester, outages={"SVRS": "108"}) == AuthorityVerdict("114")

    def test_svc_is_active_while_the_home_authorizer_is_out_of_service(
        self, tester: InvoiceRuleTester
    ) -> None:
        assert self.verdict(tester, outages={"SP": "109"}) is None

    @pytest.mark.parametrize("switch", [ContingencySwitch.ON, ContingencySwitch.CLOSING])
    def test_svc_is_active_when_it_is_switched_on(
        self, switch: ContingencySwitch, tester: InvoiceRuleTester
    ) -> None:
        assert self.verdict(tester, contingency={"SVCAN": switch}) is None

    def test_svc_is_inactive_when_it_is_switched_off(self, tester: InvoiceRuleTester) -> None:
        off = {"SVCAN": ContingencySwitch.OFF}
        assert self.verdict(tester, contingency=off, outages={"SP": "109"}) == AuthorityVerdict("114")

    def test_svc_does_not_serve_states_of_the_other_svc(self, tester: InvoiceRuleTester) -> None:
        xml = mutated(base("nfe", tester.signer), says("infNFe/ide/tpEmis", "7"), tester.signer)
        at_rs = AT_SVCAN._replace(authorizer="SVCRS")
        assert tester.verdict(
            xml, service_path=at_rs, contingency={"SVCRS": ContingencySwitch.ON}
        ) == AuthorityVerdict("226")

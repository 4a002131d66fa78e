"""The issuer: identity and address."""

from functools import partial

import pytest

from unit.simulator.mutating import both, says
from unit.simulator.rules.breaking import InvoiceRuleTester, Violation
from unit.simulator.rules.certificates import of_person
from unit.simulator.rules.test_key_rules import of_person_with

WRONG_CPF = "52998224726"
IN_A_SERIES_FOR_PEOPLE = says("infNFe/ide/serie", "920")

VIOLATIONS = [
    Violation("270", "nfe", says("infNFe/ide/cMunFG", "3599999")),
    Violation("271", "nfe", says("infNFe/ide/cMunFG", "3304557")),
    Violation("207", "nfe", says("infNFe/emit/CNPJ", "11222333000182")),
    Violation(
        "401",
        "nfe",
        both(of_person_with(WRONG_CPF), IN_A_SERIES_FOR_PEOPLE),
        issue=partial(of_person, cpf=WRONG_CPF),
    ),
    Violation("272", "nfe", says("infNFe/emit/enderEmit/cMun", "3599999")),
    Violation("273", "nfe", says("infNFe/emit/enderEmit/cMun", "3304557")),
    Violation("247", "nfe", says("infNFe/emit/enderEmit/UF", "RJ")),
    Violation("229", "nfe", says("infNFe/emit/IE", "000000000000")),
    Violation("554", "nfe", says("infNFe/emit/IE", "ISENTO")),
]


class TestIssuerRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_document(self, violation: Violation, tester: InvoiceRuleTester) -> None:
        tester.check(violation)

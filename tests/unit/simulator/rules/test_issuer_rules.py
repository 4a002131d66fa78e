"""The issuer: who it is, and where."""

from functools import partial

import pytest

from unit.simulator.mutating import both, says
from unit.simulator.rules.breaking import Breaking, Court
from unit.simulator.rules.certificates import of_person
from unit.simulator.rules.test_key_rules import of_person_with

WRONG_CPF = "52998224726"
IN_A_SERIES_FOR_PEOPLE = says("infNFe/ide/serie", "920")

BREAKINGS = [
    Breaking("270", "nfe", says("infNFe/ide/cMunFG", "3599999")),
    Breaking("271", "nfe", says("infNFe/ide/cMunFG", "3304557")),
    Breaking("207", "nfe", says("infNFe/emit/CNPJ", "11222333000182")),
    Breaking(
        "401",
        "nfe",
        both(of_person_with(WRONG_CPF), IN_A_SERIES_FOR_PEOPLE),
        issue=partial(of_person, cpf=WRONG_CPF),
    ),
    Breaking("272", "nfe", says("infNFe/emit/enderEmit/cMun", "3599999")),
    Breaking("273", "nfe", says("infNFe/emit/enderEmit/cMun", "3304557")),
    Breaking("247", "nfe", says("infNFe/emit/enderEmit/UF", "RJ")),
    Breaking("229", "nfe", says("infNFe/emit/IE", "000000000000")),
    Breaking("554", "nfe", says("infNFe/emit/IE", "ISENTO")),
]


class TestIssuerRules:
    @pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
    def test_each_speaks_for_itself(self, breaking: Breaking, court: Court) -> None:
        court.prove(breaking)

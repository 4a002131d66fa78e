"""Provider, taker and intermediary: identity and address."""

from functools import partial

import pytest

from support import CNPJ
from unit.simulator.mutating import after, both, says, without
from unit.simulator.nfse.declaring import ABROAD, ADDRESS, OTHER_CNPJ, TAKER_CPF
from unit.simulator.nfse.sefin import ServiceRuleTester, Violation
from unit.simulator.rules.certificates import of_person
from unit.simulator.rules.edits import becomes, grown

TAKER, BETWEEN, PROVIDER = "infDPS/toma", "infDPS/interm", "infDPS/prest"
TAX = "infDPS/valores/trib/tribMun"
NOBODY = "<cNaoNIF>0</cNaoNIF>"
FOREIGNER = "<NIF>US-12</NIF>"

OF_PROVIDER = [
    Violation("E0080", edit=says(f"{PROVIDER}/CNPJ", "11222333000182")),
    Violation(
        "E0096",
        "by_person",
        says(f"{PROVIDER}/CPF", "11144477736"),
        issue=partial(of_person, cpf="11144477736"),
    ),
    Violation("E0112", edit=becomes(f"{PROVIDER}/CNPJ", FOREIGNER)),
    Violation("E0114", edit=becomes(f"{PROVIDER}/CNPJ", "<cNaoNIF>1</cNaoNIF>")),
    Violation("E0121", edit=after(f"{PROVIDER}/CNPJ", "xNome", "LOJA MODELO LTDA")),
    Violation("E0128", edit=grown(f"{PROVIDER}/CNPJ", ADDRESS)),
    Violation("E0148", edit=after(f"{PROVIDER}/CNPJ", "email", "nenhum")),
    Violation("E0162", "normal", after(f"{PROVIDER}/regTrib/opSimpNac", "regApTribSN", "1")),
    Violation("E0162", "mei", after(f"{PROVIDER}/regTrib/opSimpNac", "regApTribSN", "1")),
    Violation("E0166", edit=without(f"{PROVIDER}/regTrib/regApTribSN")),
    Violation("E0172", "immune", says(f"{PROVIDER}/regTrib/regEspTrib", "1")),
    Violation("E0174", "mei", says(f"{PROVIDER}/regTrib/regEspTrib", "1")),
    Violation("E0175", edit=says(f"{PROVIDER}/regTrib/regEspTrib", "1")),
]
OF_TAKER = [
    Violation("E0187", "normal", without(TAKER)),
    Violation("E0188", edit=says(f"{TAKER}/CNPJ", "44455566000184")),
    Violation("E0202", edit=says(f"{TAKER}/CNPJ", CNPJ)),
    Violation("E0204", "normal_withheld", without(TAKER)),
    Violation("E0206", "to_person", says(f"{TAKER}/CPF", "52998224726")),
    Violation("E0223", "export", becomes(f"{TAKER}/NIF", f"<CPF>{TAKER_CPF}</CPF>")),
    Violation("E0226", "export", becomes(f"{TAKER}/NIF", NOBODY)),
    Violation("E0234", "normal", without(f"{TAKER}/end")),
    Violation("E0237", "simples_withheld", without(f"{TAKER}/end")),
    Violation("E0238", edit=says(f"{TAKER}/end/endNac/cMun", "3550309")),
    Violation("E0240", edit=says(f"{TAKER}/end/endNac/CEP", "20040002")),
    Violation("E0242", edit=becomes(f"{TAKER}/CNPJ", FOREIGNER)),
    Violation("E0246", "export", says(f"{TAKER}/end/endExt/cPais", "BR")),
    Violation("E0246", "export", says(f"{TAKER}/end/endExt/cPais", "XX")),
    Violation("E0247", edit=says(f"{TAKER}/email", "tomador@example")),
]
NOT_WITHHELD = says(f"{TAX}/tpRetISSQN", "1")
WITH_TRADE = grown(
    "infDPS/serv/cServ",
    "<comExt><mdPrestacao>1</mdPrestacao><vincPrest>0</vincPrest><tpMoeda>220</tpMoeda>"
    "<vServMoeda>200.00</vServMoeda><mecAFComexP>01</mecAFComexP><mecAFComexT>01</mecAFComexT>"
    "<movTempBens>1</movTempBens><mdic>0</mdic></comExt>",
)
ABROAD_BETWEEN = both(NOT_WITHHELD, WITH_TRADE, becomes(f"{BETWEEN}/end", ABROAD))
OF_INTERMEDIARY = [
    Violation("E0248", "between", says(f"{BETWEEN}/CNPJ", "66677788000184")),
    Violation("E0262", "between", says(f"{BETWEEN}/CNPJ", "11222333000262")),
    Violation("E0264", "between", without(BETWEEN)),
    Violation("E0266", "between", both(NOT_WITHHELD, becomes(f"{BETWEEN}/CNPJ", "<CPF>52998224726</CPF>"))),
    Violation("E0281", "between", ABROAD_BETWEEN),
    Violation("E0286", "between", both(ABROAD_BETWEEN, becomes(f"{BETWEEN}/CNPJ", NOBODY))),
    Violation("E0293", "between", without(f"{BETWEEN}/end")),
    Violation("E0294", "between", says(f"{BETWEEN}/end/endNac/cMun", "3550309")),
    Violation("E0296", "between", says(f"{BETWEEN}/end/endNac/CEP", "70040010")),
    Violation("E0298", "between", both(NOT_WITHHELD, becomes(f"{BETWEEN}/CNPJ", FOREIGNER))),
    Violation(
        "E0299",
        "between",
        both(
            ABROAD_BETWEEN,
            becomes(f"{BETWEEN}/CNPJ", FOREIGNER),
            says(f"{BETWEEN}/end/endExt/cPais", "BR"),
        ),
    ),
    Violation("E0300", "between", says(f"{BETWEEN}/email", "i@ example.com")),
]
VIOLATIONS = [*OF_PROVIDER, *OF_TAKER, *OF_INTERMEDIARY]
ALLOWED = [
    # E0235 is a rule of the data environment, for notes shared by cities: the Sefin accepts this declaration.
    Violation("E0234", edit=without(f"{TAKER}/end")),
    Violation("E0202", edit=says(f"{TAKER}/CNPJ", "11222333000262")),
    Violation("E0240", edit=says(f"{TAKER}/end/endNac/CEP", "13010000")),
    Violation(
        "E0240",
        edit=both(says(f"{TAKER}/end/endNac/cMun", "5300108"), says(f"{TAKER}/end/endNac/CEP", "73015132")),
    ),
    Violation("E0188", edit=says(f"{TAKER}/CNPJ", "12ABC34501DE35")),
    Violation(
        "E0242", "by_person", both(becomes(f"{TAKER}/CNPJ", FOREIGNER), says(f"{TAKER}/xNome", "ACME"))
    ),
    Violation("E0262", "between", says(f"{BETWEEN}/CNPJ", OTHER_CNPJ[:8] + "000264")),
    Violation("E0226", "export", becomes(f"{TAKER}/NIF", "<cNaoNIF>1</cNaoNIF>")),
]
"""Declarations close to breaking a rule, which are accepted."""


class TestPersonRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_declaration(
        self, violation: Violation, service_tester: ServiceRuleTester
    ) -> None:
        service_tester.check(violation)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_exception_of_a_rule_is_accepted(
        self, allowed: Violation, service_tester: ServiceRuleTester
    ) -> None:
        assert service_tester.verdict_on(service_tester.broken(allowed), allowed) == []

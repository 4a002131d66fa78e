"""The parties: recipient, pickup and delivery, authorized readers, carrier."""

import pytest

from unit.fiscal.goods.support import CPF
from unit.simulator.mutating import after, both, says, without
from unit.simulator.rules.breaking import InvoiceRuleTester, Violation
from unit.simulator.rules.edits import becomes, filled, grown

BUYER, ADDRESS = "infNFe/dest", "infNFe/dest/enderDest"
PICKUP, DELIVERY = "infNFe/retirada", "infNFe/entrega"
CARRIER = "infNFe/transp/transporta"
WRONG_CNPJ, WRONG_CPF = "66677788000184", "52998224726"
NO_CITY, CITY_OF_RIO = "3550309", "3304557"
A_COMPANY = "<CNPJ>66677788000183</CNPJ>"
EXEMPT = both(says(f"{BUYER}/indIEDest", "2"), says("infNFe/ide/indFinal", "0"))
SOLD_TO_A_SHIP = both(
    becomes(f"{BUYER}/idEstrangeiro", A_COMPANY),
    after(f"{BUYER}/indIEDest", "IE", "110042490114"),
    says("infNFe/det/prod/CFOP", "7501"),
)
BY_A_MARKETPLACE = both(
    says("infNFe/ide/indPres", "2"),
    after("infNFe/ide/indPres", "indIntermed", "1"),
    grown(
        "infNFe/pag",
        "<infIntermed><CNPJ>66677788000184</CNPJ><idCadIntTran>LOJA</idCadIntTran></infIntermed>",
    ),
)

VIOLATIONS = [
    Violation("719", "nfe", without(BUYER)),
    Violation("208", "nfe_to_company", says(f"{BUYER}/CNPJ", WRONG_CNPJ)),
    Violation("208", "nfe_to_company", says(f"{BUYER}/CNPJ", "00000000000000")),
    Violation("237", "nfe", says(f"{BUYER}/CPF", WRONG_CPF)),
    Violation("237", "nfe", says(f"{BUYER}/CPF", "11111111111")),
    Violation(
        "925",
        "nfe",
        both(
            becomes(f"{BUYER}/CPF", "<idEstrangeiro>PASS12345</idEstrangeiro>"),
            after(f"{BUYER}/indIEDest", "IE", "110042490114"),
        ),
    ),
    Violation("372", "nfe", becomes(f"{BUYER}/CPF", "<idEstrangeiro>PASS_1234</idEstrangeiro>")),
    Violation("724", "nfe", without(f"{BUYER}/xNome")),
    Violation("598", "nfe", says(f"{BUYER}/xNome", "Maria da Silva")),
    Violation("598", "nfce_delivered", says(f"{BUYER}/xNome", "Maria da Silva")),
    Violation("726", "nfe", without(ADDRESS)),
    Violation("274", "nfe", says(f"{ADDRESS}/cMun", NO_CITY)),
    Violation("275", "nfe", says(f"{ADDRESS}/cMun", CITY_OF_RIO)),
    Violation("509", "nfe_export", says(f"{ADDRESS}/cMun", CITY_OF_RIO)),
    Violation("926", "nfe_export", says(f"{ADDRESS}/cPais", "1058")),
    Violation("805", "nfe", EXEMPT),
    Violation("728", "nfe_to_company", without(f"{BUYER}/IE")),
    Violation(
        "791",
        "nfe_interstate",
        both(
            says(f"{BUYER}/indIEDest", "2"), says(f"{ADDRESS}/UF", "SC"), says(f"{ADDRESS}/cMun", "4205407")
        ),
    ),
    Violation("792", "nfe_export", SOLD_TO_A_SHIP),
    Violation("512", "nfe_other_places", says(f"{PICKUP}/CNPJ", WRONG_CNPJ)),
    Violation("540", "nfe_other_places", becomes(f"{PICKUP}/CNPJ", f"<CPF>{WRONG_CPF}</CPF>")),
    Violation("513", "nfe_other_places", says(f"{PICKUP}/UF", "EX")),
    Violation("276", "nfe_other_places", says(f"{PICKUP}/cMun", NO_CITY)),
    Violation("277", "nfe_other_places", says(f"{PICKUP}/cMun", CITY_OF_RIO)),
    Violation("514", "nfe_other_places", says(f"{DELIVERY}/CNPJ", WRONG_CNPJ)),
    Violation("541", "nfe_other_places", becomes(f"{DELIVERY}/CNPJ", f"<CPF>{WRONG_CPF}</CPF>")),
    Violation("515", "nfe_other_places", says(f"{DELIVERY}/UF", "EX")),
    Violation("278", "nfe_other_places", says(f"{DELIVERY}/cMun", NO_CITY)),
    Violation("279", "nfe_other_places", says(f"{DELIVERY}/cMun", CITY_OF_RIO)),
    Violation("323", "nfe", grown(BUYER, f"<autXML><CNPJ>{WRONG_CNPJ}</CNPJ></autXML>")),
    Violation("324", "nfe_to_company", grown(BUYER, "<autXML><CNPJ>12ABC34501DE35</CNPJ></autXML>")),
    Violation("325", "nfe", grown(BUYER, f"<autXML><CPF>{WRONG_CPF}</CPF></autXML>")),
    Violation("326", "nfe", grown(BUYER, f"<autXML><CPF>{CPF}</CPF></autXML>")),
    Violation("542", "nfe_carried", says(f"{CARRIER}/CNPJ", WRONG_CNPJ)),
    Violation("543", "nfe_carried", becomes(f"{CARRIER}/CNPJ", f"<CPF>{WRONG_CPF}</CPF>")),
    Violation(
        "559", "nfe_carried", both(without(f"{CARRIER}/UF"), after(f"{CARRIER}/xNome", "IE", "111222998111"))
    ),
    Violation("845", "nfe_carried", says("infNFe/transp/modFrete", "9")),
    Violation("846", "nfe_carried", says("infNFe/transp/modFrete", "3")),
    Violation("848", "nfe_carried", says("infNFe/transp/modFrete", "4")),
    Violation(
        "868", "nfe_interstate", filled("infNFe/transp", "<veicTransp><placa>ABC1D23</placa></veicTransp>")
    ),
    Violation("868", "nfe_interstate", filled("infNFe/transp", "<reboque><placa>ABC1D23</placa></reboque>")),
    Violation("440", "nfe", BY_A_MARKETPLACE),
]
ALLOWED = [
    Violation(
        "726",
        "nfce_delivered",
        both(
            without(ADDRESS),
            says("infNFe/ide/indPres", "1"),
            without("infNFe/ide/indIntermed"),
            becomes("infNFe/transp", "<transp><modFrete>9</modFrete></transp>"),
        ),
    ),
    Violation("598", "nfce_delivered", without(f"{BUYER}/xNome")),
    Violation(
        "805",
        "nfe_interstate",
        both(
            says(f"{BUYER}/indIEDest", "2"),
            without(f"{BUYER}/IE"),
            says(f"{ADDRESS}/UF", "SC"),
            says(f"{ADDRESS}/cMun", "4205407"),
        ),
    ),
    Violation(
        "846",
        "nfe_carried",
        both(says("infNFe/transp/modFrete", "3"), says(f"{CARRIER}/CNPJ", "11222333000262")),
    ),
]
"""Documents close to breaking a rule, which are accepted."""


class TestPartyRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_document(self, violation: Violation, tester: InvoiceRuleTester) -> None:
        tester.check(violation)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_exception_of_a_rule_is_accepted(self, allowed: Violation, tester: InvoiceRuleTester) -> None:
        assert tester.verdict_on(tester.broken(allowed), allowed) is None

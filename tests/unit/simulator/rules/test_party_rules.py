"""Who takes part: recipient, other places, readers of the document, carrier."""

import pytest

from unit.fiscal.goods.support import CPF
from unit.simulator.mutating import after, both, says, without
from unit.simulator.rules.breaking import Breaking, Court
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

BREAKINGS = [
    Breaking("719", "nfe", without(BUYER)),
    Breaking("208", "nfe_to_company", says(f"{BUYER}/CNPJ", WRONG_CNPJ)),
    Breaking("208", "nfe_to_company", says(f"{BUYER}/CNPJ", "00000000000000")),
    Breaking("237", "nfe", says(f"{BUYER}/CPF", WRONG_CPF)),
    Breaking("237", "nfe", says(f"{BUYER}/CPF", "11111111111")),
    Breaking(
        "925",
        "nfe",
        both(
            becomes(f"{BUYER}/CPF", "<idEstrangeiro>PASS12345</idEstrangeiro>"),
            after(f"{BUYER}/indIEDest", "IE", "110042490114"),
        ),
    ),
    Breaking("372", "nfe", becomes(f"{BUYER}/CPF", "<idEstrangeiro>PASS_1234</idEstrangeiro>")),
    Breaking("724", "nfe", without(f"{BUYER}/xNome")),
    Breaking("598", "nfe", says(f"{BUYER}/xNome", "Maria da Silva")),
    Breaking("598", "nfce_delivered", says(f"{BUYER}/xNome", "Maria da Silva")),
    Breaking("726", "nfe", without(ADDRESS)),
    Breaking("274", "nfe", says(f"{ADDRESS}/cMun", NO_CITY)),
    Breaking("275", "nfe", says(f"{ADDRESS}/cMun", CITY_OF_RIO)),
    Breaking("509", "nfe_export", says(f"{ADDRESS}/cMun", CITY_OF_RIO)),
    Breaking("926", "nfe_export", says(f"{ADDRESS}/cPais", "1058")),
    Breaking("805", "nfe", EXEMPT),
    Breaking("728", "nfe_to_company", without(f"{BUYER}/IE")),
    Breaking(
        "791",
        "nfe_interstate",
        both(
            says(f"{BUYER}/indIEDest", "2"), says(f"{ADDRESS}/UF", "SC"), says(f"{ADDRESS}/cMun", "4205407")
        ),
    ),
    Breaking("792", "nfe_export", SOLD_TO_A_SHIP),
    Breaking("512", "nfe_other_places", says(f"{PICKUP}/CNPJ", WRONG_CNPJ)),
    Breaking("540", "nfe_other_places", becomes(f"{PICKUP}/CNPJ", f"<CPF>{WRONG_CPF}</CPF>")),
    Breaking("513", "nfe_other_places", says(f"{PICKUP}/UF", "EX")),
    Breaking("276", "nfe_other_places", says(f"{PICKUP}/cMun", NO_CITY)),
    Breaking("277", "nfe_other_places", says(f"{PICKUP}/cMun", CITY_OF_RIO)),
    Breaking("514", "nfe_other_places", says(f"{DELIVERY}/CNPJ", WRONG_CNPJ)),
    Breaking("541", "nfe_other_places", becomes(f"{DELIVERY}/CNPJ", f"<CPF>{WRONG_CPF}</CPF>")),
    Breaking("515", "nfe_other_places", says(f"{DELIVERY}/UF", "EX")),
    Breaking("278", "nfe_other_places", says(f"{DELIVERY}/cMun", NO_CITY)),
    Breaking("279", "nfe_other_places", says(f"{DELIVERY}/cMun", CITY_OF_RIO)),
    Breaking("323", "nfe", grown(BUYER, f"<autXML><CNPJ>{WRONG_CNPJ}</CNPJ></autXML>")),
    Breaking("324", "nfe_to_company", grown(BUYER, "<autXML><CNPJ>12ABC34501DE35</CNPJ></autXML>")),
    Breaking("325", "nfe", grown(BUYER, f"<autXML><CPF>{WRONG_CPF}</CPF></autXML>")),
    Breaking("326", "nfe", grown(BUYER, f"<autXML><CPF>{CPF}</CPF></autXML>")),
    Breaking("542", "nfe_carried", says(f"{CARRIER}/CNPJ", WRONG_CNPJ)),
    Breaking("543", "nfe_carried", becomes(f"{CARRIER}/CNPJ", f"<CPF>{WRONG_CPF}</CPF>")),
    Breaking(
        "559", "nfe_carried", both(without(f"{CARRIER}/UF"), after(f"{CARRIER}/xNome", "IE", "111222998111"))
    ),
    Breaking("845", "nfe_carried", says("infNFe/transp/modFrete", "9")),
    Breaking("846", "nfe_carried", says("infNFe/transp/modFrete", "3")),
    Breaking("848", "nfe_carried", says("infNFe/transp/modFrete", "4")),
    Breaking(
        "868", "nfe_interstate", filled("infNFe/transp", "<veicTransp><placa>ABC1D23</placa></veicTransp>")
    ),
    Breaking("868", "nfe_interstate", filled("infNFe/transp", "<reboque><placa>ABC1D23</placa></reboque>")),
    Breaking("440", "nfe", BY_A_MARKETPLACE),
]
ALLOWED = [
    Breaking(
        "726",
        "nfce_delivered",
        both(
            without(ADDRESS),
            says("infNFe/ide/indPres", "1"),
            without("infNFe/ide/indIntermed"),
            becomes("infNFe/transp", "<transp><modFrete>9</modFrete></transp>"),
        ),
    ),
    Breaking("598", "nfce_delivered", without(f"{BUYER}/xNome")),
    Breaking(
        "805",
        "nfe_interstate",
        both(
            says(f"{BUYER}/indIEDest", "2"),
            without(f"{BUYER}/IE"),
            says(f"{ADDRESS}/UF", "SC"),
            says(f"{ADDRESS}/cMun", "4205407"),
        ),
    ),
    Breaking(
        "846",
        "nfe_carried",
        both(says("infNFe/transp/modFrete", "3"), says(f"{CARRIER}/CNPJ", "11222333000262")),
    ),
]
"""What comes near to breaking a rule."""


class TestPartyRules:
    @pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
    def test_each_speaks_for_itself(self, breaking: Breaking, court: Court) -> None:
        court.prove(breaking)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_each_knows_its_exceptions(self, allowed: Breaking, court: Court) -> None:
        assert court.verdict_on(court.broken(allowed), allowed) is None

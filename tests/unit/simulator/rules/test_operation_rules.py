"""The operation: how it is issued, with whom, and where the goods go."""

import pytest

from unit.simulator.mutating import after, both, says, without
from unit.simulator.rules.breaking import InvoiceRuleTester, Violation
from unit.simulator.rules.edits import becomes, grown

IDE, BUYER, ADDRESS = "infNFe/ide", "infNFe/dest", "infNFe/dest/enderDest"
CFOP = "infNFe/det/prod/CFOP"
BY_A_SITE = says(f"{IDE}/indPres", "2")
INTERMEDIATED = after(f"{IDE}/indPres", "indIntermed", "1")
INTERMEDIARY = "<infIntermed><CNPJ>66677788000183</CNPJ><idCadIntTran>LOJA</idCadIntTran></infIntermed>"
OFFLINE = both(
    says(f"{IDE}/tpEmis", "9"),
    grown(
        f"{IDE}/verProc", "<dhCont>2026-11-14T09:00:00-03:00</dhCont><xJust>SEM CONEXAO COM A SEFAZ</xJust>"
    ),
)
IN_RIO = both(says(f"{ADDRESS}/UF", "RJ"), says(f"{ADDRESS}/cMun", "3304557"))
IN_SAO_PAULO = both(says(f"{ADDRESS}/UF", "SP"), says(f"{ADDRESS}/cMun", "3550308"))
FOREIGNER = becomes(f"{BUYER}/CPF", "<idEstrangeiro>PASS12345</idEstrangeiro>")
A_COMPANY = becomes(f"{BUYER}/idEstrangeiro", "<CNPJ>66677788000183</CNPJ>")
COMING_IN = both(says(f"{IDE}/tpNF", "0"), says(CFOP, "1102"))
CONSUMED_ABROAD = grown(
    "infNFe/det/prod/indTot",
    "<comb><cProdANP>320102001</cProdANP><descANP>GASOLINA</descANP><UFCons>EX</UFCons></comb>",
)
TO_CARRY = says("infNFe/transp/modFrete", "1")
DELIVERED_IN_RIO = (
    "<entrega><CNPJ>66677788000183</CNPJ><xLgr>RUA A</xLgr><nro>1</nro><xBairro>CENTRO</xBairro>"
    "<cMun>3304557</cMun><xMun>RIO DE JANEIRO</xMun><UF>RJ</UF></entrega>"
)

VIOLATIONS = [
    Violation("710", "nfe", says(f"{IDE}/tpImp", "4")),
    Violation("711", "nfe", OFFLINE),
    Violation("864", "nfe", says(f"{IDE}/indPres", "5")),
    Violation("434", "nfe", BY_A_SITE),
    Violation(
        "435", "nfe", both(says(f"{IDE}/indPres", "0"), INTERMEDIATED, grown("infNFe/pag", INTERMEDIARY))
    ),
    Violation("438", "nfe", both(BY_A_SITE, INTERMEDIATED)),
    Violation("439", "nfe", grown("infNFe/pag", INTERMEDIARY)),
    Violation("720", "nfe_export", A_COMPANY),
    Violation("721", "nfe", both(FOREIGNER, COMING_IN, says(f"{IDE}/indFinal", "0"))),
    Violation("727", "nfe_export", both(IN_SAO_PAULO, CONSUMED_ABROAD)),
    Violation("772", "nfe_interstate", IN_SAO_PAULO),
    Violation("773", "nfe_to_company", IN_RIO),
    Violation("790", "nfe_export", says(f"{BUYER}/indIEDest", "2")),
    Violation("696", "nfe", says(f"{IDE}/indFinal", "0")),
    Violation("521", "nfe_to_company", both(IN_RIO, says(f"{IDE}/indFinal", "1"), TO_CARRY)),
    Violation("771", "nfe_to_consumer_elsewhere", FOREIGNER),
    Violation("355", "nfe_export", without("infNFe/exporta")),
    Violation(
        "356",
        "nfe",
        grown(
            "infNFe/infAdic",
            "<exporta><UFSaidaPais>SP</UFSaidaPais><xLocExporta>SANTOS</xLocExporta></exporta>",
        ),
    ),
]
ALLOWED = [
    Violation("438", "nfe", both(BY_A_SITE, INTERMEDIATED, grown("infNFe/pag", INTERMEDIARY))),
    Violation("772", "nfe_interstate", both(IN_SAO_PAULO, grown("infNFe/dest", DELIVERED_IN_RIO))),
    Violation("521", "nfe_to_company", both(IN_RIO, says(f"{IDE}/indFinal", "1"))),
    Violation("773", "nfe", IN_RIO),
]
"""Documents close to breaking a rule, which are accepted."""


class TestOperationRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_rule_refuses_the_document(self, violation: Violation, tester: InvoiceRuleTester) -> None:
        tester.check(violation)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_exception_of_a_rule_is_accepted(self, allowed: Violation, tester: InvoiceRuleTester) -> None:
        assert tester.verdict_on(tester.broken(allowed), allowed) is None

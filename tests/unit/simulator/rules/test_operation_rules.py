"""The operation: how it is issued, with whom it is and where the goods go."""

import pytest

from unit.simulator.mutating import after, both, says, without
from unit.simulator.rules.breaking import Breaking, Court
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

BREAKINGS = [
    Breaking("710", "nfe", says(f"{IDE}/tpImp", "4")),
    Breaking("711", "nfe", OFFLINE),
    Breaking("864", "nfe", says(f"{IDE}/indPres", "5")),
    Breaking("434", "nfe", BY_A_SITE),
    Breaking(
        "435", "nfe", both(says(f"{IDE}/indPres", "0"), INTERMEDIATED, grown("infNFe/pag", INTERMEDIARY))
    ),
    Breaking("438", "nfe", both(BY_A_SITE, INTERMEDIATED)),
    Breaking("439", "nfe", grown("infNFe/pag", INTERMEDIARY)),
    Breaking("720", "nfe_export", A_COMPANY),
    Breaking("721", "nfe", both(FOREIGNER, COMING_IN, says(f"{IDE}/indFinal", "0"))),
    Breaking("727", "nfe_export", both(IN_SAO_PAULO, CONSUMED_ABROAD)),
    Breaking("772", "nfe_interstate", IN_SAO_PAULO),
    Breaking("773", "nfe_to_company", IN_RIO),
    Breaking("790", "nfe_export", says(f"{BUYER}/indIEDest", "2")),
    Breaking("696", "nfe", says(f"{IDE}/indFinal", "0")),
    Breaking("521", "nfe_to_company", both(IN_RIO, says(f"{IDE}/indFinal", "1"), TO_CARRY)),
    Breaking("771", "nfe_to_consumer_elsewhere", FOREIGNER),
    Breaking("355", "nfe_export", without("infNFe/exporta")),
    Breaking(
        "356",
        "nfe",
        grown(
            "infNFe/infAdic",
            "<exporta><UFSaidaPais>SP</UFSaidaPais><xLocExporta>SANTOS</xLocExporta></exporta>",
        ),
    ),
]
ALLOWED = [
    Breaking("438", "nfe", both(BY_A_SITE, INTERMEDIATED, grown("infNFe/pag", INTERMEDIARY))),
    Breaking("772", "nfe_interstate", both(IN_SAO_PAULO, grown("infNFe/dest", DELIVERED_IN_RIO))),
    Breaking("521", "nfe_to_company", both(IN_RIO, says(f"{IDE}/indFinal", "1"))),
    Breaking("773", "nfe", IN_RIO),
]
"""What comes near to breaking a rule."""


class TestOperationRules:
    @pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
    def test_each_speaks_for_itself(self, breaking: Breaking, court: Court) -> None:
        court.prove(breaking)

    @pytest.mark.parametrize("allowed", ALLOWED, ids=str)
    def test_each_knows_its_exceptions(self, allowed: Breaking, court: Court) -> None:
        assert court.verdict_on(court.broken(allowed), allowed) is None

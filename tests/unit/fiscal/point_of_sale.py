"""A point of sale that signs NFC-e offline, correctly or not, and the check of its receipts."""

import dataclasses
import re
from decimal import Decimal

from carimbo.fiscal.documents.nfce.qr import Csc, OfflineReceipt, offline_v2, offline_v3, supplement_xml
from carimbo.fiscal.documents.nfce.signed_xml import CheckedXml, ExpectedReceipt, check_signed_xml
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.tables.authorities import all_nfce_addresses
from support import CNPJ
from unit.fiscal.goods.support import CPF, ISSUED_AT, SCHEMAS

HOMOLOGATION = Environment.HOMOLOGATION
ADDRESSES = all_nfce_addresses("SP", HOMOLOGATION)
ADDRESS, CONSULT = ADDRESSES[0].qr, ADDRESSES[0].consult
CSC = Csc("1", "0123456789ABCDEF0123456789ABCDEF")
KEY = AccessKey.of_issue(
    ISSUED_AT,
    state_code="35",
    tax_id=CNPJ,
    model="65",
    series=1,
    number=10,
    emission_type="9",
    numeric_code="12345689",
)
RECIPIENT = f"<dest><CPF>{CPF}</CPF><indIEDest>9</indIEDest></dest>"
CONTINGENCY = "<dhCont>2026-11-14T09:00:00-03:00</dhCont><xJust>SEM CONEXAO COM A SEFAZ NO MOMENTO</xJust>"
SIGNED_PART = (
    f'<infNFe xmlns="{NAMESPACE}" Id="NFe{KEY}" versao="4.00">'
    "<ide><cUF>35</cUF><cNF>12345689</cNF><natOp>VENDA DE MERCADORIA</natOp><mod>65</mod><serie>1</serie>"
    "<nNF>10</nNF><dhEmi>2026-11-14T10:00:00-03:00</dhEmi><tpNF>1</tpNF><idDest>1</idDest>"
    f"<cMunFG>3550308</cMunFG><tpImp>4</tpImp><tpEmis>9</tpEmis><cDV>{str(KEY)[-1]}</cDV><tpAmb>2</tpAmb>"
    "<finNFe>1</finNFe><indFinal>1</indFinal><indPres>1</indPres><procEmi>0</procEmi>"
    f"<verProc>pdv 1.0</verProc>{CONTINGENCY}</ide>"
    f"<emit><CNPJ>{CNPJ}</CNPJ><xNome>LOJA MODELO LTDA</xNome><enderEmit><xLgr>RUA DAS FLORES</xLgr>"
    "<nro>100</nro><xBairro>CENTRO</xBairro><cMun>3550308</cMun><xMun>SAO PAULO</xMun><UF>SP</UF>"
    "<CEP>01001000</CEP></enderEmit><IE>111111111111</IE><CRT>1</CRT></emit>"
    '<det nItem="1"><prod><cProd>SKU1</cProd><cEAN>SEM GTIN</cEAN><xProd>CANETA</xProd><NCM>96081000</NCM>'
    "<CFOP>5102</CFOP><uCom>UN</uCom><qCom>1.0000</qCom><vUnCom>100.00</vUnCom><vProd>100.00</vProd>"
    "<cEANTrib>SEM GTIN</cEANTrib><uTrib>UN</uTrib><qTrib>1.0000</qTrib><vUnTrib>100.00</vUnTrib>"
    "<indTot>1</indTot></prod><imposto><ICMS><ICMSSN102><orig>0</orig><CSOSN>102</CSOSN></ICMSSN102></ICMS>"
    "</imposto></det><total><ICMSTot><vBC>0.00</vBC><vICMS>0.00</vICMS><vICMSDeson>0.00</vICMSDeson>"
    "<vFCP>0.00</vFCP><vBCST>0.00</vBCST><vST>0.00</vST><vFCPST>0.00</vFCPST><vFCPSTRet>0.00</vFCPSTRet>"
    "<vProd>100.00</vProd><vFrete>0.00</vFrete><vSeg>0.00</vSeg><vDesc>0.00</vDesc><vII>0.00</vII>"
    "<vIPI>0.00</vIPI><vIPIDevol>0.00</vIPIDevol><vPIS>0.00</vPIS><vCOFINS>0.00</vCOFINS>"
    "<vOutro>0.00</vOutro><vNF>100.00</vNF></ICMSTot></total><transp><modFrete>9</modFrete></transp>"
    "<pag><detPag><tPag>01</tPag><vPag>100.00</vPag></detPag></pag></infNFe>"
)
EXPECTED = ExpectedReceipt(
    tax_id=CNPJ,
    environment=HOMOLOGATION,
    access_key=str(KEY),
    number=10,
    series=1,
    issued_at=ISSUED_AT,
    csc=CSC,
    addresses=ADDRESSES,
)


@dataclasses.dataclass(frozen=True)
class PointOfSale:
    """Signs any text, correct or not."""

    signer: Signer

    def v2(self, signed_part: str = SIGNED_PART, csc: Csc = CSC, **changes: object) -> bytes:
        digest = self.signer.sign(signed_part.encode(), f"NFe{KEY}").digest_value
        return self.signed(offline_v2(ADDRESS, receipt(**changes), digest, csc), signed_part)

    def v3(self, signed_part: str = SIGNED_PART, **changes: object) -> bytes:
        return self.signed(offline_v3(ADDRESS, receipt(**changes), self.signer), signed_part)

    def signed(self, qr_code: str, signed_part: str = SIGNED_PART, consult: str = CONSULT) -> bytes:
        return self.with_supplement(supplement_xml(qr_code, consult), signed_part)

    def with_supplement(self, text: str, signed_part: str = SIGNED_PART) -> bytes:
        reference = re.search('Id="([^"]*)"', signed_part)
        assert reference
        signature = self.signer.sign(signed_part.encode(), reference[1]).text
        inside = signed_part.replace(f' xmlns="{NAMESPACE}"', "", 1)
        return f'<NFe xmlns="{NAMESPACE}">{inside}{text}'.encode() + signature + b"</NFe>"


def receipt(**changes: object) -> OfflineReceipt:
    right = OfflineReceipt(str(KEY), HOMOLOGATION, ISSUED_AT, Decimal("100.00"))
    return dataclasses.replace(right, **changes)  # type: ignore[arg-type]


def check(xml: bytes, **changes: object) -> CheckedXml | tuple[Problem, ...]:
    return check_signed_xml(xml, dataclasses.replace(EXPECTED, **changes), SCHEMAS)  # type: ignore[arg-type]


def problems_of(xml: bytes, **changes: object) -> set[tuple[str, str]]:
    """Returns code and path of each problem, and checks that its message is a sentence."""
    answer = check(xml, **changes)
    assert not isinstance(answer, CheckedXml)
    assert all(problem.message.endswith(".") for problem in answer)
    return {(problem.code, problem.path) for problem in answer}


def codes(xml: bytes, **changes: object) -> set[str]:
    problems = problems_of(xml, **changes)
    assert {path for _, path in problems} == {"signedXml"}
    return {code for code, _ in problems}

"""A document and a range of numbers for tests of messages."""

from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.nfe_v4.inutilization import InutilizationRange
from support import CNPJ

NAMESPACE = "http://www.portalfiscal.inf.br/nfe"
KEY = AccessKey.parse("35261111222333000181550010000000011123456806")
REASON = "Numeração pulada por falha de sistema"
ADDRESS = (
    "<xLgr>Rua Direita</xLgr><nro>100</nro><xBairro>Centro</xBairro><cMun>3550308</cMun>"
    "<xMun>São Paulo</xMun><UF>SP</UF><CEP>01002000</CEP>"
)
ZEROS = "<{0}>0.00</{0}>".format
TOTALS = (
    "".join(map(ZEROS, ("vBC", "vICMS", "vICMSDeson", "vFCP", "vBCST", "vST", "vFCPST", "vFCPSTRet")))
    + "<vProd>9.90</vProd>"
    + "".join(
        map(ZEROS, ("vFrete", "vSeg", "vDesc", "vII", "vIPI", "vIPIDevol", "vPIS", "vCOFINS", "vOutro"))
    )
    + "<vNF>9.90</vNF>"
)
INVOICE = (
    f'Id="NFe{KEY}" versao="4.00">'
    "<ide><cUF>35</cUF><cNF>12345680</cNF><natOp>Venda</natOp><mod>55</mod><serie>1</serie><nNF>1</nNF>"
    "<dhEmi>2026-11-14T10:00:00-03:00</dhEmi><tpNF>1</tpNF><idDest>1</idDest><cMunFG>3550308</cMunFG>"
    "<tpImp>1</tpImp><tpEmis>1</tpEmis><cDV>6</cDV><tpAmb>2</tpAmb><finNFe>1</finNFe><indFinal>1</indFinal>"
    "<indPres>1</indPres><procEmi>0</procEmi><verProc>carimbo 1.0</verProc></ide>"
    f"<emit><CNPJ>{CNPJ}</CNPJ><xNome>Loja Modelo</xNome><enderEmit>{ADDRESS}</enderEmit>"
    "<IE>111111111111</IE><CRT>1</CRT></emit>"
    '<det nItem="1"><prod><cProd>1</cProd><cEAN>SEM GTIN</cEAN><xProd>Pão</xProd><NCM>19059090</NCM>'
    "<CFOP>5102</CFOP><uCom>KG</uCom><qCom>1.0000</qCom><vUnCom>9.90</vUnCom><vProd>9.90</vProd>"
    "<cEANTrib>SEM GTIN</cEANTrib><uTrib>KG</uTrib><qTrib>1.0000</qTrib><vUnTrib>9.90</vUnTrib>"
    "<indTot>1</indTot></prod><imposto>"
    "<ICMS><ICMSSN102><orig>0</orig><CSOSN>102</CSOSN></ICMSSN102></ICMS>"
    "<PIS><PISNT><CST>07</CST></PISNT></PIS><COFINS><COFINSNT><CST>07</CST></COFINSNT></COFINS>"
    f"</imposto></det><total><ICMSTot>{TOTALS}</ICMSTot></total><transp><modFrete>9</modFrete></transp>"
    "<pag><detPag><tPag>01</tPag><vPag>9.90</vPag></detPag></pag></infNFe>"
)


def signed_invoice_of(signer: Signer) -> bytes:
    signature = signer.sign(f'<infNFe xmlns="{NAMESPACE}" {INVOICE}'.encode(), f"NFe{KEY}")
    return f'<NFe xmlns="{NAMESPACE}"><infNFe {INVOICE}'.encode() + signature.text + b"</NFe>"


def range_of(cnpj: str = CNPJ, reason: str = REASON) -> InutilizationRange:
    return InutilizationRange(
        environment="2",
        state_code="35",
        year="26",
        cnpj=cnpj,
        model="55",
        series=1,
        first_number=10,
        last_number=12,
        reason=reason,
    )

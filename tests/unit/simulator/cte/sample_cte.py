"""A CT-e that every authority accepts, written here, and changed in one place for the tests of rules."""

from collections.abc import Sequence

from lxml import etree

from carimbo.fiscal.identity.access_key import check_digit
from carimbo.fiscal.identity.signature import Signer
from carimbo.simulator.cte.dialect import NAMESPACE
from support import CNPJ, OTHER_CNPJ
from unit.fiscal.goods.support import ISSUED_AT
from unit.simulator.mutating import DS, DocumentTags, Edit, at, renew_key, renew_signature

TAGS = DocumentTags("infCte", "nCT", "cCT", "CTe")
SENDER, RECIPIENT, CARRIER, DEPOT = OTHER_CNPJ, "11444777000161", "66677788000183", "99999999000191"
NAME = "CTE EMITIDO EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL"
QR_ADDRESS = "https://homologacao.nfe.fazenda.sp.gov.br/CTeConsulta/qrCode"
CITY_SP, CITY_RJ = ("3550308", "SAO PAULO", "SP"), ("3304557", "RIO DE JANEIRO", "RJ")
REGISTRATION = "110042490114"


def key_of(number: int = 1, issuer: str = CNPJ, model: str = "57", code: str = "12345681") -> str:
    """Returns the key of a document of São Paulo."""
    first = f"352611{issuer}{model}001{number:09d}1{code}"
    return first + check_digit(first)


INVOICE_KEY = key_of(3, SENDER, "55")


def address(tag: str, city: Sequence[str] = CITY_SP) -> str:
    code, name, state = city
    return (
        f"<{tag}><xLgr>RUA MODELO</xLgr><nro>100</nro><xBairro>CENTRO</xBairro><cMun>{code}</cMun>"
        f"<xMun>{name}</xMun><CEP>01001000</CEP><UF>{state}</UF></{tag}>"
    )


def party(tag: str, tax_id: str, address_tag: str, city: Sequence[str] = CITY_SP, name: str = NAME) -> str:
    fields = f"<CNPJ>{tax_id}</CNPJ><IE>222222222222</IE><xNome>{name}</xNome>"
    return f"<{tag}>{fields}{address(address_tag, city)}</{tag}>"


DISPATCHER = party("exped", DEPOT, "enderExped")
RECEIVER = party("receb", "33444555000181", "enderReceb", CITY_RJ)
TAXES = (
    "<ICMS><ICMS00><CST>00</CST><vBC>1000.00</vBC><pICMS>12.00</pICMS><vICMS>120.00</vICMS></ICMS00></ICMS>"
    "<IBSCBS><CST>000</CST><cClassTrib>000001</cClassTrib><gIBSCBS><vBC>880.00</vBC>"
    "<gIBSUF><pIBSUF>0.1000</pIBSUF><vIBSUF>0.88</vIBSUF></gIBSUF>"
    "<gIBSMun><pIBSMun>0.0000</pIBSMun><vIBSMun>0.00</vIBSMun></gIBSMun><vIBS>0.88</vIBS>"
    "<gCBS><pCBS>0.9000</pCBS><vCBS>7.92</vCBS></gCBS></gIBSCBS></IBSCBS><vTotDFe>1000.00</vTotDFe>"
)
NORMAL_PART = (
    "<infCTeNorm><infCarga><vCarga>50000.00</vCarga><proPred>ELETRONICOS</proPred>"
    "<infQ><cUnid>01</cUnid><tpMed>PESO BRUTO</tpMed><qCarga>1500.0000</qCarga></infQ></infCarga>"
    f"<infDoc><infNFe><chave>{INVOICE_KEY}</chave></infNFe></infDoc>"
    '<infModal versaoModal="4.00"><rodo><RNTRC>12345678</RNTRC></rodo></infModal></infCTeNorm>'
)


def unsigned_cte(number: int = 1, notes: str = "SEM NOTAS") -> bytes:
    """Returns a CT-e from São Paulo to Rio de Janeiro; the sender takes the service."""
    identification = (
        "<cUF>35</cUF><cCT>12345681</cCT><CFOP>6353</CFOP><natOp>TRANSPORTE</natOp><mod>57</mod>"
        f"<serie>1</serie><nCT>{number}</nCT><dhEmi>{ISSUED_AT.isoformat()}</dhEmi><tpImp>1</tpImp>"
        f"<tpEmis>1</tpEmis><cDV>{key_of(number)[-1]}</cDV><tpAmb>2</tpAmb><tpCTe>0</tpCTe>"
        "<procEmi>0</procEmi><verProc>teste</verProc>"
        "<cMunEnv>3550308</cMunEnv><xMunEnv>SAO PAULO</xMunEnv><UFEnv>SP</UFEnv><modal>01</modal>"
        "<tpServ>0</tpServ><cMunIni>3550308</cMunIni><xMunIni>SAO PAULO</xMunIni><UFIni>SP</UFIni>"
        "<cMunFim>3304557</cMunFim><xMunFim>RIO DE JANEIRO</xMunFim><UFFim>RJ</UFFim><retira>1</retira>"
        "<indIEToma>1</indIEToma><toma3><toma>0</toma></toma3>"
    )
    issuer = (
        f"<emit><CNPJ>{CNPJ}</CNPJ><IE>{REGISTRATION}</IE><xNome>TRANSPORTES MODELO</xNome>"
        f"{address('enderEmit')}<CRT>3</CRT></emit>"
    )
    service = (
        "<vPrest><vTPrest>1000.00</vTPrest><vRec>1000.00</vRec>"
        "<Comp><xNome>FRETE PESO</xNome><vComp>1000.00</vComp></Comp></vPrest>"
    )
    developer = (
        f"<infRespTec><CNPJ>{CNPJ}</CNPJ><xContato>SUPORTE</xContato><email>suporte@example.com</email>"
        "<fone>11999999999</fone></infRespTec>"
    )
    parties = party("rem", SENDER, "enderReme") + party("dest", RECIPIENT, "enderDest", CITY_RJ)
    content = (
        f'<infCte versao="4.00" Id="CTe{key_of(number)}"><ide>{identification}</ide>'
        f"<compl><xObs>{notes}</xObs></compl>{issuer}{parties}{service}<imp>{TAXES}</imp>"
        f"{NORMAL_PART}{developer}</infCte>"
    )
    qr = f"{QR_ADDRESS}?chCTe={key_of(number)}&amp;tpAmb=2"
    supplement = f"<infCTeSupl><qrCodCTe>{qr}</qrCodCTe></infCTeSupl>"
    return f'<CTe xmlns="{NAMESPACE}">{content}{supplement}<Signature xmlns="{DS[1:-1]}"/></CTe>'.encode()


def unchanged(root: etree._Element) -> None:
    """Changes nothing."""


def cte(signer: Signer, edit: Edit = unchanged, number: int = 1, notes: str = "SEM NOTAS") -> bytes:
    """Returns a signed CT-e, with changes."""
    return mutated(unsigned_cte(number, notes), edit, signer)


def mutated(xml: bytes, edit: Edit, signer: Signer, *, keyed: bool = True, quoted: bool = True) -> bytes:
    """Returns a document changed and signed again; key and QR code follow unless disabled."""
    root = etree.fromstring(xml)
    edit(root)
    if keyed:
        renew_key(root, TAGS)
    renew_signature(root, TAGS.content, signer)
    if quoted:
        _renew_qr(root, signer)
    return etree.tostring(root, encoding="utf-8")


def _renew_qr(root: etree._Element, signer: Signer) -> None:
    element = root.find(f"{{{NAMESPACE}}}infCTeSupl/{{{NAMESPACE}}}qrCodCTe")
    if element is None or element.text is None:
        return
    key, environment = key_in(root), at(root, "infCte/ide/tpAmb").text
    is_offline = at(root, "infCte/ide/tpEmis").text == "2"
    sign = f"&sign={signer.sign_text(key)}" if is_offline else ""
    element.text = f"{element.text.partition('?')[0]}?chCTe={key}&tpAmb={environment}{sign}"


def key_in(root: etree._Element) -> str:
    """Returns the key of a document."""
    return at(root, "infCte").get("Id", "")[3:]

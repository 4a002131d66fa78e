"""An MDF-e that the authority accepts, written here, and changed in one place for the tests of rules."""

from collections.abc import Sequence

from lxml import etree

from carimbo.fiscal.identity.access_key import check_digit
from carimbo.fiscal.identity.signature import Signer
from carimbo.simulator.mdfe.dialect import NAMESPACE
from support import CNPJ, OTHER_CNPJ
from unit.fiscal.goods.support import CPF, ISSUED_AT
from unit.simulator.mutating import DS, DocumentTags, Edit, at, renew_key, renew_signature

TAGS = DocumentTags("infMDFe", "nMDF", "cMDF", "MDFe")
CONTRACTOR, INSURER, SUPPLIER = OTHER_CNPJ, "88999000000198", "99000111000165"
OWNER, SECOND_DRIVER = "39053344705", "11144477735"
QR_ADDRESS = "https://dfe-portal.svrs.rs.gov.br/mdfe/qrCode"
REGISTRATION = "110042490114"
CITY_SP, CITY_RJ = ("3550308", "SAO PAULO"), ("3304557", "RIO DE JANEIRO")


def key_of(number: int = 1, issuer: str = CNPJ, model: str = "58", code: str = "55667788") -> str:
    """Returns the key of a document of São Paulo."""
    first = f"352611{issuer}{model}001{number:09d}1{code}"
    return first + check_digit(first)


CTE_KEY, SECOND_CTE_KEY = key_of(412, model="57"), key_of(413, model="57")
NFE_KEY, SECOND_NFE_KEY = key_of(501, model="55"), key_of(502, model="55")


def unloading(*documents: str, city: Sequence[str] = CITY_RJ) -> str:
    """Returns a city of unloading with its documents."""
    code, name = city
    fields = f"<cMunDescarga>{code}</cMunDescarga><xMunDescarga>{name}</xMunDescarga>"
    return f"<infMunDescarga>{fields}{''.join(documents)}</infMunDescarga>"


def listed(*keys: str, tag: str = "CTe") -> str:
    """Returns documents of a kind in a city."""
    group = "infMDFeTransp" if tag == "MDFe" else f"inf{tag}"
    return "".join(f"<{group}><ch{tag}>{key}</ch{tag}></{group}>" for key in keys)


FREIGHT = (
    "<infANTT><RNTRC>12345678</RNTRC>"
    f"<infCIOT><CIOT>123456789012</CIOT><CNPJ>{CNPJ}</CNPJ></infCIOT>"
    f"<infContratante><xNome>CONTRATANTE</xNome><CNPJ>{CONTRACTOR}</CNPJ></infContratante></infANTT>"
)
TRACTOR = (
    "<veicTracao><placa>ABC1D23</placa><tara>8000</tara><capKG>20000</capKG>"
    f"<condutor><xNome>MOTORISTA</xNome><CPF>{CPF}</CPF></condutor>"
    "<tpRod>01</tpRod><tpCar>02</tpCar><UF>SP</UF></veicTracao>"
)
INSURANCE = (
    "<seg><infResp><respSeg>1</respSeg></infResp>"
    f"<infSeg><xSeg>SEGURADORA</xSeg><CNPJ>{INSURER}</CNPJ></infSeg>"
    "<nApol>RCTRC1</nApol><nAver>0001234567890</nAver></seg>"
)


def unsigned_mdfe(number: int = 1, notes: str = "SEM NOTAS") -> bytes:
    """Returns the MDF-e of a carrier with its own truck, from São Paulo to Rio, with two CT-e."""
    identification = (
        "<cUF>35</cUF><tpAmb>2</tpAmb><tpEmit>1</tpEmit><mod>58</mod><serie>1</serie>"
        f"<nMDF>{number}</nMDF><cMDF>55667788</cMDF><cDV>{key_of(number)[-1]}</cDV><modal>1</modal>"
        f"<dhEmi>{ISSUED_AT.isoformat()}</dhEmi><tpEmis>1</tpEmis><procEmi>0</procEmi>"
        "<verProc>teste</verProc><UFIni>SP</UFIni><UFFim>RJ</UFFim>"
        f"<infMunCarrega><cMunCarrega>{CITY_SP[0]}</cMunCarrega>"
        f"<xMunCarrega>{CITY_SP[1]}</xMunCarrega></infMunCarrega>"
    )
    address = (
        f"<enderEmit><xLgr>RUA MODELO</xLgr><nro>100</nro><xBairro>CENTRO</xBairro><cMun>{CITY_SP[0]}</cMun>"
        f"<xMun>{CITY_SP[1]}</xMun><CEP>01001000</CEP><UF>SP</UF></enderEmit>"
    )
    issuer = (
        f"<emit><CNPJ>{CNPJ}</CNPJ><IE>{REGISTRATION}</IE><xNome>TRANSPORTES MODELO</xNome>{address}</emit>"
    )
    mode = f'<infModal versaoModal="3.00"><rodo>{FREIGHT}{TRACTOR}</rodo></infModal>'
    documents = f"<infDoc>{unloading(listed(CTE_KEY, SECOND_CTE_KEY))}</infDoc>"
    product = "<prodPred><tpCarga>05</tpCarga><xProd>ELETRONICOS</xProd></prodPred>"
    totals = "<tot><qCTe>2</qCTe><vCarga>50000.00</vCarga><cUnid>01</cUnid><qCarga>1500.0000</qCarga></tot>"
    developer = (
        f"<infRespTec><CNPJ>{CNPJ}</CNPJ><xContato>SUPORTE</xContato><email>suporte@example.com</email>"
        "<fone>11999999999</fone></infRespTec>"
    )
    content = (
        f'<infMDFe versao="3.00" Id="MDFe{key_of(number)}"><ide>{identification}</ide>{issuer}{mode}'
        f"{documents}{INSURANCE}{product}{totals}<infAdic><infCpl>{notes}</infCpl></infAdic>{developer}</infMDFe>"
    )
    qr = f"{QR_ADDRESS}?chMDFe={key_of(number)}&amp;tpAmb=2"
    supplement = f"<infMDFeSupl><qrCodMDFe>{qr}</qrCodMDFe></infMDFeSupl>"
    return f'<MDFe xmlns="{NAMESPACE}">{content}{supplement}<Signature xmlns="{DS[1:-1]}"/></MDFe>'.encode()


def unchanged(root: etree._Element) -> None:
    """Changes nothing."""


def mdfe(signer: Signer, edit: Edit = unchanged, number: int = 1, notes: str = "SEM NOTAS") -> bytes:
    """Returns a signed MDF-e, with changes."""
    return mutated(unsigned_mdfe(number, notes), edit, signer)


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
    element = root.find(f"{{{NAMESPACE}}}infMDFeSupl/{{{NAMESPACE}}}qrCodMDFe")
    if element is None or element.text is None:
        return
    key, environment = key_in(root), at(root, "infMDFe/ide/tpAmb").text
    is_offline = at(root, "infMDFe/ide/tpEmis").text == "2"
    sign = f"&sign={signer.sign_text(key)}" if is_offline else ""
    element.text = f"{element.text.partition('?')[0]}?chMDFe={key}&tpAmb={environment}{sign}"


def key_in(root: etree._Element) -> str:
    """Returns the key of a document."""
    return at(root, "infMDFe").get("Id", "")[4:]

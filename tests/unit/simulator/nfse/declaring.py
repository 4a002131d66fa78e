"""Accepted declarations (DPS), written by hand, and helpers to change them in one place."""

from collections.abc import Mapping
from functools import cache

from lxml import etree

from carimbo.fiscal.identity.signature import Signer
from support import CNPJ
from unit.simulator.mutating import DS, Edit, at

NAMESPACE = "http://www.sped.fazenda.gov.br/nfse"
TAKER_CNPJ, TAKER_CPF, OTHER_CNPJ = "44455566000183", "52998224725", "66677788000183"
PERSON = "11144477735"
SAO_PAULO, CAMPINAS, BRASILIA, PORTO_ALEGRE = "3550308", "3509502", "5300108", "4314902"

SOFTWARE = "010101"
PARKING = "110101"
"""Taxed where the service is performed."""

MEI = "<opSimpNac>2</opSimpNac>"
SMALL = "<opSimpNac>3</opSimpNac><regApTribSN>1</regApTribSN>"
SMALL_APART = "<opSimpNac>3</opSimpNac><regApTribSN>2</regApTribSN>"
NORMAL = "<opSimpNac>1</opSimpNac>"

BY_SIMPLES = "<pTotTribSN>6.00</pTotTribSN>"
UNTOLD = "<indTotTrib>0</indTotTrib>"
ONE_BY_ONE = (
    "<pTotTrib><pTotTribFed>13.45</pTotTribFed><pTotTribEst>0.00</pTotTribEst>"
    "<pTotTribMun>2.00</pTotTribMun></pTotTrib>"
)
PIS_COFINS = (
    "<tribFed><piscofins><CST>01</CST><vBCPisCofins>1000.00</vBCPisCofins><pAliqPis>0.65</pAliqPis>"
    "<pAliqCofins>3.00</pAliqCofins><vPis>6.50</vPis><vCofins>30.00</vCofins>"
    "<tpRetPisCofins>0</tpRetPisCofins></piscofins></tribFed>"
)
ADDRESS = (
    f"<end><endNac><cMun>{SAO_PAULO}</cMun><CEP>01001000</CEP></endNac><xLgr>RUA TESTE</xLgr><nro>100</nro>"
    "<xBairro>CENTRO</xBairro></end>"
)
ABROAD = (
    "<end><endExt><cPais>US</cPais><cEndPost>10001</cEndPost><xCidade>NEW YORK</xCidade>"
    "<xEstProvReg>NY</xEstProvReg></endExt><xLgr>FIFTH AVENUE</xLgr><nro>1</nro>"
    "<xBairro>MANHATTAN</xBairro></end>"
)
TAKER = f"<CNPJ>{TAKER_CNPJ}</CNPJ><xNome>TOMADOR TESTE</xNome>{ADDRESS}<email>tomador@example.com</email>"
FOREIGNER = f"<NIF>US-12</NIF><xNome>ACME INC</xNome>{ABROAD}"
CLASS = "<CST>000</CST><cClassTrib>000001</cClassTrib>"
TRADE = (
    "<comExt><mdPrestacao>1</mdPrestacao><vincPrest>0</vincPrest><tpMoeda>220</tpMoeda>"
    "<vServMoeda>200.00</vServMoeda><mecAFComexP>01</mecAFComexP><mecAFComexT>01</mecAFComexT>"
    "<movTempBens>1</movTempBens><mdic>0</mdic></comExt>"
)
TAXED = "<tribISSQN>1</tribISSQN><tpRetISSQN>1</tpRetISSQN>"


def reform(
    indicator: str = "100301", situation: str = CLASS, before: str = "", after: str = "", inside: str = ""
) -> str:
    """Returns `IBSCBS`; `before` and `after` surround `indDest`, which is 1 if `after` has a recipient."""
    other = int("<dest>" in after)
    return (
        f"<IBSCBS><finNFSe>0</finNFSe><indFinal>0</indFinal><cIndOp>{indicator}</cIndOp>{before}"
        f"<indDest>{other}</indDest>{after}<valores>{inside}<trib><gIBSCBS>{situation}</gIBSCBS></trib>"
        "</valores></IBSCBS>"
    )


_HEAD = (
    f'<DPS xmlns="{NAMESPACE}" versao="1.01"><infDPS Id=""><tpAmb>2</tpAmb>'
    "<dhEmi>2026-11-14T10:00:00-03:00</dhEmi><verAplic>teste 1.0</verAplic><serie>1</serie><nDPS>3</nDPS>"
)


def _element(tag: str, content: str) -> str:
    return f"<{tag}>{content}</{tag}>" if content else ""


def declaration(
    *,
    regime: str = SMALL,
    special: str = "0",
    issuer: str = f"<CNPJ>{CNPJ}</CNPJ>",
    replacing: str = "",
    taker: str = TAKER,
    between: str = "",
    place: str = f"<cLocPrestacao>{SAO_PAULO}</cLocPrestacao>",
    service: str = SOFTWARE,
    more_of_service: str = "",
    price: str = "1000.00",
    reductions: str = "",
    iss: str = TAXED,
    federal: str = "",
    totals: str = BY_SIMPLES,
    reform: str = "",
) -> str:
    """Returns a DPS of São Paulo in homologation, without Id and signature."""
    others = _element("toma", taker) + _element("interm", between)
    return (
        f"{_HEAD}<dCompet>2026-11-14</dCompet><tpEmit>1</tpEmit><cLocEmi>{SAO_PAULO}</cLocEmi>{replacing}"
        f"<prest>{issuer}<regTrib>{regime}<regEspTrib>{special}</regEspTrib></regTrib></prest>{others}"
        f"<serv><locPrest>{place}</locPrest><cServ><cTribNac>{service}</cTribNac>"
        "<xDescServ>DESENVOLVIMENTO DE SISTEMA</xDescServ><cNBS>115021000</cNBS></cServ>"
        f"{more_of_service}</serv><valores><vServPrest><vServ>{price}</vServ></vServPrest>{reductions}"
        f"<trib><tribMun>{iss}</tribMun>{federal}<totTrib>{totals}</totTrib></trib></valores>{reform}"
        "</infDPS></DPS>"
    )


SITE = "<end><CEP>01001000</CEP><xLgr>RUA TESTE</xLgr><nro>1</nro><xBairro>CENTRO</xBairro></end>"
EVENT = (
    f"<atvEvento><xNome>FESTIVAL</xNome><dtIni>2026-11-14</dtIni><dtFim>2026-11-15</dtFim>{SITE}</atvEvento>"
)
SUPPLIER = f"<fornec><CNPJ>{OTHER_CNPJ}</CNPJ><xNome>FORNECEDOR</xNome>{ADDRESS}</fornec>"
PROOF = (
    "<vDedRed><documentos><docDedRed><nDocFisc>123</nDocFisc><tpDedRed>2</tpDedRed>"
    "<dtEmiDoc>2026-11-10</dtEmiDoc><vDedutivelRedutivel>300.00</vDedutivelRedutivel>"
    f"<vDeducaoReducao>100.00</vDeducaoReducao>{SUPPLIER}</docDedRed></documentos></vDedRed>"
)
EXPENSE = (
    "<gReeRepRes><documentos><docFiscalOutro><cMunDocFiscal>3550308</cMunDocFiscal>"
    "<nDocFiscal>12</nDocFiscal><xDocFiscal>NOTA ANTIGA</xDocFiscal></docFiscalOutro>"
    f"<fornec><CNPJ>{OTHER_CNPJ}</CNPJ><xNome>FORNECEDOR</xNome></fornec><dtEmiDoc>2025-12-10</dtEmiDoc>"
    "<dtCompDoc>2025-12-10</dtCompDoc><tpReeRepRes>99</tpReeRepRes><xTpReeRepRes>DESPESAS</xTpReeRepRes>"
    "<vlrReeRepRes>50.00</vlrReeRepRes></documentos></gReeRepRes>"
)
NATIONAL_EXPENSE = (
    "<gReeRepRes><documentos><dFeNacional><tipoChaveDFe>2</tipoChaveDFe><chaveDFe>"
    "35261111222333000181550010000000011000000014</chaveDFe></dFeNacional><dtEmiDoc>2026-11-10</dtEmiDoc>"
    "<dtCompDoc>2026-11-10</dtCompDoc><tpReeRepRes>01</tpReeRepRes><vlrReeRepRes>50.00</vlrReeRepRes>"
    "</documentos></gReeRepRes>"
)
RECIPIENT = f"<dest><CNPJ>{OTHER_CNPJ}</CNPJ><xNome>DESTINATARIO</xNome>{ADDRESS}</dest>"
PROPERTY = f"<imovel>{SITE}</imovel>"
BENEFIT = "<BM><nBM>{}040000{}</nBM>{}</BM>"


def benefited(benefit_type: int, inside: str = "", withheld: str = "1", city: str = SAO_PAULO) -> str:
    """Returns an ISS with one of the four benefits of a city."""
    named = BENEFIT.format(city, benefit_type, inside)
    return f"<tribISSQN>1</tribISSQN>{named}<tpRetISSQN>{withheld}</tpRetISSQN>"


_SMALL_WITHHELD = "<tribISSQN>1</tribISSQN><tpRetISSQN>2</tpRetISSQN><pAliq>2.00</pAliq>"
_WITHHELD = "<tribISSQN>1</tribISSQN><tpRetISSQN>2</tpRetISSQN>"
_WITHHELD_BETWEEN = "<tribISSQN>1</tribISSQN><tpRetISSQN>3</tpRetISSQN>"
_EXPORTED = "<tribISSQN>3</tribISSQN><cPaisResult>US</cPaisResult><tpRetISSQN>1</tpRetISSQN>"
_IMMUNE = "<tribISSQN>2</tribISSQN><tpImunidade>2</tpImunidade><tpRetISSQN>1</tpRetISSQN>"
_SUSPENDED = (
    f"<tribISSQN>1</tribISSQN><exigSusp><tpSusp>1</tpSusp><nProcesso>{'1' * 30}</nProcesso></exigSusp>"
    "<tpRetISSQN>1</tpRetISSQN>"
)
_RATED = "<tribISSQN>1</tribISSQN><tpRetISSQN>1</tpRetISSQN><pAliq>3.00</pAliq>"
_RATED_AND_WITHHELD = "<tribISSQN>1</tribISSQN><tpRetISSQN>2</tpRetISSQN><pAliq>3.00</pAliq>"
_IN_BRASILIA = f"<cLocPrestacao>{BRASILIA}</cLocPrestacao>"
_OUTSIDE = {"regime": NORMAL, "totals": ONE_BY_ONE}
_PARKING = {"service": PARKING, "place": f"<cLocPrestacao>{SAO_PAULO}</cLocPrestacao>"}

BASES: Mapping[str, str] = {
    "simples": declaration(),
    "simples_withheld": declaration(iss=_SMALL_WITHHELD),
    "simples_apart": declaration(regime=SMALL_APART),
    "simples_in_brasilia": declaration(service=PARKING, place=_IN_BRASILIA),
    "simples_withheld_in_brasilia": declaration(service=PARKING, place=_IN_BRASILIA, iss=_RATED_AND_WITHHELD),
    "simples_apart_in_brasilia": declaration(
        regime=SMALL_APART, service=PARKING, place=_IN_BRASILIA, iss=_RATED
    ),
    "mei": declaration(regime=MEI, totals=UNTOLD),
    "normal": declaration(**_OUTSIDE, federal=PIS_COFINS, reform=reform()),
    "normal_withheld": declaration(**_OUTSIDE, iss=_WITHHELD),
    "normal_in_brasilia": declaration(**_OUTSIDE, service=PARKING, place=_IN_BRASILIA, iss=_RATED),
    "to_person": declaration(taker=f"<CPF>{TAKER_CPF}</CPF><xNome>MARIA DA SILVA</xNome>"),
    "to_nobody": declaration(taker=""),
    "by_person": declaration(**_OUTSIDE, issuer=f"<CPF>{PERSON}</CPF>"),
    "export": declaration(**_OUTSIDE, taker=FOREIGNER, iss=_EXPORTED, more_of_service=TRADE),
    "immune": declaration(**_OUTSIDE, iss=_IMMUNE),
    "suspended": declaration(**_OUTSIDE, iss=_SUSPENDED),
    "special": declaration(**_OUTSIDE, special="6"),
    "between": declaration(
        **_OUTSIDE,
        between=f"<CNPJ>{OTHER_CNPJ}</CNPJ><xNome>INTERMEDIARIO</xNome>{ADDRESS}<email>i@example.com</email>",
        iss=_WITHHELD_BETWEEN,
    ),
    "construction": declaration(
        **_OUTSIDE, service="070201", more_of_service=f"<obra>{SITE}</obra>", reductions=""
    ),
    "event": declaration(**_OUTSIDE, service="120101", more_of_service=EVENT),
    "deducted": declaration(**_OUTSIDE, **_PARKING, reductions="<vDedRed><vDR>100.00</vDR></vDedRed>"),
    "deducted_by_percentage": declaration(
        **_OUTSIDE, **_PARKING, reductions="<vDedRed><pDR>10.00</pDR></vDedRed>"
    ),
    "proved": declaration(**_OUTSIDE, **_PARKING, reductions=PROOF),
    "exempt": declaration(**_OUTSIDE, **_PARKING, iss=benefited(1)),
    "reduced_by_percentage": declaration(
        **_OUTSIDE, **_PARKING, iss=benefited(2, "<pRedBCBM>10.00</pRedBCBM>")
    ),
    "reduced_by_amount": declaration(**_OUTSIDE, **_PARKING, iss=benefited(3, "<vRedBCBM>100.00</vRedBCBM>")),
    "of_special_rate": declaration(**_OUTSIDE, **_PARKING, iss=benefited(4)),
    "withholding": declaration(
        **_OUTSIDE,
        federal=(
            "<tribFed><piscofins><CST>01</CST><vBCPisCofins>1000.00</vBCPisCofins><pAliqPis>0.65</pAliqPis>"
            "<pAliqCofins>3.00</pAliqCofins><vPis>6.50</vPis><vCofins>30.00</vCofins>"
            "<tpRetPisCofins>3</tpRetPisCofins></piscofins><vRetCP>110.00</vRetCP><vRetIRRF>15.00</vRetIRRF>"
            "<vRetCSLL>46.50</vRetCSLL></tribFed>"
        ),
    ),
    "told_in_amounts": declaration(
        regime=NORMAL,
        totals=(
            "<vTotTrib><vTotTribFed>134.50</vTotTribFed><vTotTribEst>0.00</vTotTribEst>"
            "<vTotTribMun>20.00</vTotTribMun></vTotTrib>"
        ),
    ),
    "untaxed": declaration(
        **_OUTSIDE, service="990101", iss="<tribISSQN>4</tribISSQN><tpRetISSQN>1</tpRetISSQN>"
    ),
    "to_recipient": declaration(**_OUTSIDE, reform=reform(after=RECIPIENT)),
    "property": declaration(**_OUTSIDE, reform=reform("020101", after=PROPERTY)),
    "public": declaration(**_OUTSIDE, reform=reform(before="<tpOper>5</tpOper><tpEnteGov>1</tpEnteGov>")),
    "reduced_reform": declaration(
        **_OUTSIDE, reform=reform(situation="<CST>200</CST><cClassTrib>200028</cClassTrib>")
    ),
    "deferred": declaration(
        **_OUTSIDE,
        reform=reform(
            situation="<CST>515</CST><cClassTrib>515001</cClassTrib><gDif><pDifUF>100.00</pDifUF>"
            "<pDifMun>100.00</pDifMun><pDifCBS>100.00</pDifCBS></gDif>"
        ),
    ),
    "regular": declaration(
        **_OUTSIDE,
        reform=reform(
            situation="<CST>550</CST><cClassTrib>550016</cClassTrib><gTribRegular><CSTReg>000</CSTReg>"
            "<cClassTribReg>000001</cClassTribReg></gTribRegular>"
        ),
    ),
    "expenses": declaration(**_OUTSIDE, reform=reform(inside=EXPENSE)),
    "national_expenses": declaration(**_OUTSIDE, reform=reform(inside=NATIONAL_EXPENSE)),
}
"""Accepted declarations by name."""


REPLACED_KEY = "35503082211222333000181000000000000126111234567890"
_REPLACING = (
    f"<subst><chSubstda>{REPLACED_KEY}</chSubstda><cMotivo>99</cMotivo>"
    "<xMotivo>DESCRICAO DO SERVICO INCOMPLETA</xMotivo></subst>"
)
SUBSTITUTES: Mapping[str, str] = {
    "substituting": declaration(replacing=_REPLACING),
    "substituting_outside": declaration(**_OUTSIDE, replacing=_REPLACING),
}
"""Declarations that are accepted if the note that they replace exists."""


def signed(xml: str | bytes, signer: Signer, *, keyed: bool = True) -> bytes:
    """Returns a declaration with its Id, computed from its fields, and its signature."""
    root = etree.fromstring(xml)
    if keyed:
        at(root, "infDPS").set("Id", id_of(root))
    return resigned(root, signer)


def resigned(root: etree._Element, signer: Signer) -> bytes:
    """Returns a message with a new signature."""
    for old in root.findall(f"{DS}Signature"):
        root.remove(old)
    content = root[0]
    canonical = etree.tostring(etree.fromstring(etree.tostring(content)), method="c14n")
    root.append(etree.fromstring(signer.sign(canonical, content.get("Id", "")).text))
    return etree.tostring(root, encoding="utf-8")


def mutated(xml: bytes, edit: Edit, signer: Signer, *, keyed: bool = True) -> bytes:
    """Returns a declaration changed and signed again; its Id follows unless disabled."""
    root = etree.fromstring(xml)
    edit(root)
    return signed(etree.tostring(root), signer, keyed=keyed)


def id_of(root: etree._Element) -> str:
    """Returns the Id of a declaration, computed from its fields."""

    def text(path: str) -> str:
        return (
            root.findtext(
                f"{{{NAMESPACE}}}infDPS/" + "/".join(f"{{{NAMESPACE}}}{tag}" for tag in path.split("/"))
            )
            or ""
        )

    company, person = text("prest/CNPJ"), text("prest/CPF")
    issuer = f"2{company}" if company else f"1{person.zfill(14)}"
    return f"DPS{text('cLocEmi')}{issuer}{text('serie').zfill(5)}{text('nDPS').zfill(15)}"


@cache
def base(name: str, signer: Signer) -> bytes:
    """Returns an accepted declaration, made once."""
    return signed({**BASES, **SUBSTITUTES}[name], signer)

"""Accepted MDF-e by name, each for the rules of one subject, and documents as if they had been authorized."""

from collections.abc import Mapping
from functools import cache

from lxml import etree

from carimbo.fiscal.identity.signature import Signer
from carimbo.simulator.family import HOMOLOGATION, RequestContext, ServicePath
from carimbo.simulator.ledger import Ledger, StoredDocument, StoredEvent
from carimbo.simulator.mdfe.dialect import DIALECT
from carimbo.simulator.mdfe.judged import JudgedMdfe
from support import CNPJ
from unit.fiscal.goods.support import CPF, ISSUED_AT
from unit.simulator.mdfe.sample_mdfe import (
    CITY_SP,
    NFE_KEY,
    OWNER,
    SECOND_NFE_KEY,
    SUPPLIER,
    TAGS,
    key_of,
    listed,
    mdfe,
    unchanged,
    unloading,
    unsigned_mdfe,
)
from unit.simulator.mutating import Edit, after, both, renew_key, says, without
from unit.simulator.rules.edits import becomes, filled, grown

AT_SVRS = ServicePath("SVRS", HOMOLOGATION, "mdfe", "MDFeRecepcaoSinc")
PROTOCOL = "935260000000001"
MODE = "infMDFe/infModal"
ROAD = f"{MODE}/rodo"
FREIGHT, TRACTOR = f"{ROAD}/infANTT", f"{ROAD}/veicTracao"
PAYMENT = f"{FREIGHT}/infPag"
UNLOADING = "infMDFe/infDoc/infMunDescarga"
MANIFEST_KEY = key_of(7)

INSTALLMENTS = (
    f"<infPag><CNPJ>{CNPJ}</CNPJ>"
    "<Comp><tpComp>04</tpComp><vComp>3000.00</vComp></Comp>"
    "<Comp><tpComp>01</tpComp><vComp>250.00</vComp></Comp>"
    "<vContrato>3250.00</vContrato><indPag>1</indPag><vAdiant>1250.00</vAdiant>"
    "<infPrazo><nParcela>001</nParcela><dVenc>2026-12-05</dVenc><vParcela>1000.00</vParcela></infPrazo>"
    "<infPrazo><nParcela>002</nParcela><dVenc>2026-12-20</dVenc><vParcela>1000.00</vParcela></infPrazo>"
    f"<infBanc><CNPJIPEF>{SUPPLIER}</CNPJIPEF></infBanc></infPag>"
)
"""A payment in two installments after an advance."""
CASH = becomes(
    PAYMENT,
    f"<infPag><CPF>{CPF}</CPF><Comp><tpComp>04</tpComp><vComp>3000.00</vComp></Comp>"
    "<vContrato>3000.00</vContrato><indPag>0</indPag><infBanc><PIX>pix@example.com</PIX></infBanc></infPag>",
)
FULL_LOAD = both(
    without(f"{UNLOADING}/infCTe[2]"),
    says("infMDFe/tot/qCTe", "1"),
    filled(
        "infMDFe/prodPred",
        "<NCM>85287200</NCM>",
        "<infLotacao><infLocalCarrega><CEP>05477000</CEP></infLocalCarrega>"
        "<infLocalDescarrega><CEP>20040030</CEP></infLocalDescarrega></infLotacao>",
    ),
    filled(FREIGHT, INSTALLMENTS),
)
OF_A_PERSON = f"<prop><CPF>{OWNER}</CPF><RNTRC>87654321</RNTRC><xNome>DONO</xNome><tpProp>0</tpProp></prop>"
OF_A_COMPANY = (
    "<prop><CNPJ>44555666000181</CNPJ><RNTRC>87654321</RNTRC><xNome>DONA LTDA</xNome>"
    "<tpProp>2</tpProp></prop>"
)


def hired(owner: str, carrier_type: str) -> Edit:
    """The vehicle is of another, whom the issuer hires."""
    return both(
        after("infMDFe/ide/tpEmit", "tpTransp", carrier_type),
        grown(f"{TRACTOR}/capKG", owner),
        says(f"{FREIGHT}/infContratante/CNPJ", CNPJ),
    )


TRAILER = grown(
    TRACTOR,
    f"<veicReboque><placa>DEF2G34</placa><tara>6000</tara><capKG>25000</capKG>{OF_A_COMPANY}"
    "<tpCar>02</tpCar><UF>SP</UF></veicReboque>",
)
TOLL = grown(
    f"{FREIGHT}/infCIOT",
    f"<valePed><disp><CNPJForn>{SUPPLIER}</CNPJForn><CNPJPg>{CNPJ}</CNPJPg><vValePed>412.60</vValePed></disp>"
    "<categCombVeic>08</categCombVeic></valePed>",
)
INVOICES = both(
    becomes(UNLOADING, unloading(listed(NFE_KEY, SECOND_NFE_KEY, tag="NFe"))),
    becomes("infMDFe/tot/qCTe", "<qNFe>2</qNFe>"),
)
OWN_CARGO = both(
    says("infMDFe/ide/tpEmit", "2"),
    INVOICES,
    without(FREIGHT),
    without("infMDFe/seg"),
    without("infMDFe/prodPred"),
)
WITHIN_THE_STATE = both(says("infMDFe/ide/UFFim", "SP"), says(f"{UNLOADING}/cMunDescarga", CITY_SP[0]))
LOADS_LATER = both(
    OWN_CARGO,
    WITHIN_THE_STATE,
    grown("infMDFe/ide/infMunCarrega", "<indCarregaPosterior>1</indCarregaPosterior>"),
    becomes(UNLOADING, unloading(city=CITY_SP)),
    without("infMDFe/tot/qNFe"),
)
PERSON = both(
    OWN_CARGO,
    says("infMDFe/ide/serie", "920"),
    becomes("infMDFe/emit/CNPJ", f"<CPF>{CPF}</CPF>"),
)


def by(mode: str, content: str) -> Edit:
    """The trip is in another mode than by road."""
    return both(says("infMDFe/ide/modal", mode), becomes(ROAD, content))


AIR = (
    "2",
    "<aereo><nac>PT</nac><matr>ABC</matr><nVoo>LA1234</nVoo><cAerEmb>GRU</cAerEmb><cAerDes>GIG</cAerDes>"
    "<dVoo>2026-11-14</dVoo></aereo>",
)
WATER = (
    "3",
    "<aquav><irin>1234567890</irin><tpEmb>01</tpEmb><cEmbar>BARCO1</cEmbar><xEmbar>BARCO UM</xEmbar>"
    "<nViag>1</nViag><cPrtEmb>BRMAO</cPrtEmb><cPrtDest>BRBEL</cPrtDest></aquav>",
)
RAIL = (
    "4",
    "<ferrov><trem><xPref>TREM1</xPref><xOri>SPO</xOri><xDest>RIO</xDest><qVag>1</qVag></trem>"
    "<vag><pesoBC>30.000</pesoBC><pesoR>29.000</pesoR><serie>ABC</serie><nVag>1</nVag><TU>20</TU></vag>"
    "</ferrov>",
)
ON_A_SHIP = both(
    by(*WATER),
    says("infMDFe/ide/UFFim", "AM"),
    becomes(UNLOADING, unloading(listed(MANIFEST_KEY, tag="MDFe"), city=("1302603", "MANAUS"))),
    becomes("infMDFe/tot/qCTe", "<qMDFe>1</qMDFe>"),
)
PARTIAL = both(
    by(*AIR),
    filled(
        f"{UNLOADING}/infCTe",
        "<infEntregaParcial><qtdTotal>2.0000</qtdTotal><qtdParcial>1.0000</qtdParcial></infEntregaParcial>",
    ),
)

_EDITS: Mapping[str, tuple[Edit, int]] = {
    "mdfe": (unchanged, 1),
    "full_load": (FULL_LOAD, 1),
    "cash": (both(FULL_LOAD, CASH), 1),
    "hired_person": (hired(OF_A_PERSON, "2"), 1),
    "hired_company": (hired(OF_A_COMPANY, "1"), 1),
    "hired_for_own_cargo": (
        both(says("infMDFe/ide/tpEmit", "2"), INVOICES, hired(OF_A_PERSON, "2"), without(f"{FREIGHT}/RNTRC")),
        1,
    ),
    "trailer": (both(TRAILER, says(f"{TRACTOR}/tpRod", "03")), 1),
    "toll": (TOLL, 1),
    "own_cargo": (OWN_CARGO, 1),
    "globalized": (both(says("infMDFe/ide/tpEmit", "3"), INVOICES, WITHIN_THE_STATE), 1),
    "loads_later": (LOADS_LATER, 1),
    "person": (PERSON, 1),
    "air": (by(*AIR), 1),
    "partial": (PARTIAL, 1),
    "water": (by(*WATER), 1),
    "on_a_ship": (ON_A_SHIP, 1),
    "rail": (by(*RAIL), 1),
    "offline": (says("infMDFe/ide/tpEmis", "2"), 1),
}
"""The change of the usual document, and its number."""
BASES = tuple(_EDITS)
OF_PERSONS = frozenset({"person"})
"""Bases whose issuer is a person, who signs them."""


@cache
def base(name: str, signer: Signer) -> bytes:
    """Returns an accepted document, made once."""
    edit, number = _EDITS[name]
    return mdfe(signer, edit, number)


def edited(edit: Edit, number: int = 1) -> bytes:
    """Returns an unsigned document with changes, and with its own key."""
    root = etree.fromstring(unsigned_mdfe(number))
    edit(root)
    renew_key(root, TAGS)
    return etree.tostring(root)


def store_mdfe(context: RequestContext, xml: bytes, **changes: object) -> StoredDocument:
    """Stores a document as if it had been authorized, with changes."""
    judged = JudgedMdfe(etree.fromstring(xml), AT_SVRS, context)
    values: dict[str, object] = {
        "environment": HOMOLOGATION,
        "access_key": judged.access_key,
        "authorizer": "SVRS",
        "issuer": judged.author,
        "recipient": "",
        "series": judged.series,
        "number": judged.number,
        "issued_at": ISSUED_AT,
        "received_at": ISSUED_AT,
        "code": "100",
        "protocol": PROTOCOL,
        "digest": "",
        "xml": xml,
        "protocol_xml": b"",
    }
    stored = StoredDocument(**values | changes)  # type: ignore[arg-type]
    Ledger(context.store).keep_document(stored, DIALECT.number_id(stored.access_key))
    judged.open_manifests.keep(stored.access_key, judged.trip)
    return stored


def store_event(context: RequestContext, access_key: str, code: str, xml: bytes = b"<eventoMDFe/>") -> None:
    """Stores an event as if it had been registered."""
    event = StoredEvent(
        environment=HOMOLOGATION,
        access_key=access_key,
        type=code,
        sequence=1,
        author=CNPJ,
        authorizer="SVRS",
        registered_at=ISSUED_AT,
        code="135",
        protocol="935260000000009",
        xml=xml,
        answer_xml=b"<retEventoMDFe/>",
    )
    Ledger(context.store).keep_event(event)

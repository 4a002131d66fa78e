"""Accepted CT-e by name, each for the rules of one subject, and the documents that must be stored before."""

from collections.abc import Callable, Mapping
from functools import cache

from lxml import etree

from carimbo.fiscal.identity.signature import Signer
from carimbo.simulator.cte.dialect import DIALECT
from carimbo.simulator.cte.judged import JudgedCte
from carimbo.simulator.family import HOMOLOGATION, RequestContext, ServicePath
from carimbo.simulator.ledger import Ledger, StoredDocument, StoredEvent
from support import CNPJ
from unit.fiscal.goods.support import ISSUED_AT
from unit.simulator.cte.sample_cte import (
    CARRIER,
    CITY_SP,
    DISPATCHER,
    RECEIVER,
    SENDER,
    address,
    cte,
    key_of,
    unchanged,
    unsigned_cte,
)
from unit.simulator.mutating import Edit, after, both, says, without
from unit.simulator.rules.edits import becomes, filled, grown

AT_SP = ServicePath("SP", HOMOLOGATION, "cte", "CTeRecepcaoSincV4")
PROTOCOL = "135260000000001"
NORMAL = "infCte/infCTeNorm"
TAX = "infCte/imp/IBSCBS/gIBSCBS"
EARLIER_KEY, MULTIMODAL_KEY = key_of(7, CARRIER), key_of(7, SENDER)
ORIGINAL_KEY = key_of(1)
OTHER_ISSUERS = ("11444777000161", CARRIER, "99999999000191", "33444555000181", SENDER)

ALL_PARTIES = grown("infCte/rem", DISPATCHER, RECEIVER)


def other_taker(tax_id: str) -> Edit:
    """Another party takes the service."""
    fields = f"<CNPJ>{tax_id}</CNPJ><IE>444444444444</IE><xNome>TOMADORA LTDA</xNome>{address('enderToma')}"
    return becomes("infCte/ide/toma3", f"<toma4><toma>4</toma>{fields}</toma4>")


EARLIER = grown(
    f"{NORMAL}/infCarga",
    f"<docAnt><emiDocAnt><CNPJ>{CARRIER}</CNPJ><IE>444444444444</IE><UF>SP</UF><xNome>LIGEIRO LTDA</xNome>"
    f"<idDocAnt><idDocAntEle><chCTe>{EARLIER_KEY}</chCTe></idDocAntEle></idDocAnt></emiDocAnt></docAnt>",
)
SUBCONTRACTED = both(
    says("infCte/ide/tpServ", "1"),
    other_taker(CARRIER),
    without(f"{NORMAL}/infDoc"),
    EARLIER,
    grown(
        f"{NORMAL}/infCarga", f"<infDoc><infNFe><chave>{key_of(3, SENDER, '55')}</chave></infNFe></infDoc>"
    ),
)
INTERMEDIATE = both(
    says("infCte/ide/tpServ", "3"),
    other_taker(CARRIER),
    without(f"{NORMAL}/infDoc"),
    EARLIER,
    ALL_PARTIES,
)
LINKED = both(
    says("infCte/ide/tpServ", "4"),
    without(f"{NORMAL}/infDoc"),
    ALL_PARTIES,
    filled(
        NORMAL,
        f"<infServVinc><infCTeMultimodal><chCTeMultimodal>{MULTIMODAL_KEY}</chCTeMultimodal>"
        "</infCTeMultimodal></infServVinc>",
    ),
)
WITHIN_THE_STATE = both(
    says("infCte/ide/CFOP", "5353"),
    says("infCte/ide/cMunFim", CITY_SP[0]),
    says("infCte/ide/UFFim", CITY_SP[2]),
)


def invoices_of(*issuers: str) -> Edit:
    """The goods are those of one invoice of each issuer."""
    keys = (key_of(number, issuer, "55") for number, issuer in enumerate(issuers, start=3))
    return becomes(
        f"{NORMAL}/infDoc",
        f"<infDoc>{''.join(f'<infNFe><chave>{key}</chave></infNFe>' for key in keys)}</infDoc>",
    )


GLOBALIZED = both(WITHIN_THE_STATE, after("infCte/ide/verProc", "indGlobalizado", "1"))
OF_SENDER = both(
    GLOBALIZED,
    says("infCte/dest/xNome", "DIVERSOS"),
    says("infCte/dest/CNPJ", CNPJ),
    invoices_of(*[SENDER] * 5),
)
OF_RECIPIENT = both(
    GLOBALIZED,
    says("infCte/ide/toma3/toma", "3"),
    says("infCte/rem/xNome", "DIVERSOS"),
    says("infCte/rem/CNPJ", CNPJ),
    invoices_of(*OTHER_ISSUERS),
)
OFFLINE = both(
    says("infCte/ide/tpEmis", "2"),
    grown(
        "infCte/ide/toma3",
        "<dhCont>2026-11-14T09:00:00-03:00</dhCont>",
        "<xJust>SEM CONEXAO COM A SEFAZ</xJust>",
    ),
)
COMPLEMENT = both(
    says("infCte/ide/tpCTe", "1"),
    becomes(NORMAL, f"<infCteComp><chCTe>{ORIGINAL_KEY}</chCTe></infCteComp>"),
)
SUBSTITUTION = both(
    says("infCte/ide/tpCTe", "3"),
    filled(NORMAL, f"<infCteSub><chCte>{ORIGINAL_KEY}</chCte></infCteSub>"),
)
IN_THE_FREE_ZONE = both(
    says("infCte/dest/enderDest/cMun", "1302603"),
    says("infCte/dest/enderDest/UF", "AM"),
    grown("infCte/dest/xNome", "<ISUF>200140060</ISUF>"),
)
WITHOUT_CBS = both(says(f"{TAX}/gCBS/pCBS", "0.0000"), says(f"{TAX}/gCBS/vCBS", "0.00"))
FREE_AREA = grown(
    f"{TAX}/gCBS/pCBS",
    "<gALCZFMCBS><pAliqEfetRegCBS>0.9000</pAliqEfetRegCBS><vTribRegCBS>7.92</vTribRegCBS></gALCZFMCBS>",
)
EXEMPT = both(
    says("infCte/ide/indIEToma", "2"),
    says("infCte/ide/toma3/toma", "3"),
    says("infCte/dest/IE", "ISENTO"),
)
DECLARED = becomes(f"{NORMAL}/infDoc", "<infDoc><infOutros><tpDoc>99</tpDoc></infOutros></infDoc>")
ON_PAPER = becomes(
    f"{NORMAL}/infDoc",
    "<infDoc><infNF><mod>01</mod><serie>1</serie><nDoc>1</nDoc><dEmi>2026-11-13</dEmi><vBC>0.00</vBC>"
    "<vICMS>0.00</vICMS><vBCST>0.00</vBCST><vST>0.00</vST><vProd>10.00</vProd><vNF>10.00</vNF>"
    "<nCFOP>6102</nCFOP></infNF></infDoc>",
)


def by(mode: str, content: str) -> Edit:
    """The service is by another mode than by road."""
    return both(says("infCte/ide/modal", mode), becomes(f"{NORMAL}/infModal/rodo", content))


AIR = (
    "02",
    "<aereo><dPrevAereo>2026-11-16</dPrevAereo><natCarga><cInfManu>01</cInfManu></natCarga>"
    "<tarifa><CL>G</CL><vTar>10.00</vTar></tarifa></aereo>",
)
CONTAINER = "<detCont><nCont>ABCD1234567</nCont></detCont>"
WATER = (
    "03",
    "<aquav><vPrest>1000.00</vPrest><vAFRMM>0.00</vAFRMM><xNavio>ESPERANCA</xNavio><direc>N</direc>"
    "<irin>PPAB1</irin></aquav>",
)
RAIL = ("04", "<ferrov><tpTraf>0</tpTraf><fluxo>1</fluxo></ferrov>")
MUTUAL_TRAFFIC = (
    "04",
    "<ferrov><tpTraf>1</tpTraf><trafMut><respFat>2</respFat><ferrEmi>2</ferrEmi><vFrete>100.00</vFrete>"
    f"<chCTeFerroOrigem>{ORIGINAL_KEY}</chCTeFerroOrigem></trafMut><fluxo>1</fluxo></ferrov>",
)
PIPELINE = ("05", "<duto><dIni>2026-11-01</dIni><dFim>2026-11-30</dFim></duto>")
MULTIMODAL = ("06", "<multimodal><COTM>123</COTM><indNegociavel>0</indNegociavel></multimodal>")
WITHOUT_TAXES = both(without("infCte/imp/IBSCBS"), without("infCte/imp/vTotDFe"))
RATES_OF_2027 = both(
    says(f"{TAX}/gIBSUF/pIBSUF", "0.0500"),
    says(f"{TAX}/gIBSUF/vIBSUF", "0.44"),
    says(f"{TAX}/gIBSMun/pIBSMun", "0.0500"),
    says(f"{TAX}/gIBSMun/vIBSMun", "0.44"),
    says(f"{TAX}/gCBS/pCBS", "11.1100"),
    says(f"{TAX}/gCBS/vCBS", "97.77"),
)
SIMPLES = both(
    says("infCte/emit/CRT", "1"),
    becomes("infCte/imp", "<imp><ICMS><ICMSSN><CST>90</CST><indSN>1</indSN></ICMSSN></ICMS></imp>"),
)

_EDITS: Mapping[str, tuple[Edit, int]] = {
    "cte": (unchanged, 1),
    "simples": (SIMPLES, 1),
    "all_parties": (ALL_PARTIES, 1),
    "other_taker": (other_taker(CARRIER), 1),
    "exempt": (EXEMPT, 1),
    "declared": (DECLARED, 1),
    "subcontracted": (SUBCONTRACTED, 1),
    "intermediate": (INTERMEDIATE, 1),
    "linked": (LINKED, 1),
    "of_sender": (OF_SENDER, 1),
    "of_recipient": (OF_RECIPIENT, 1),
    "offline": (OFFLINE, 1),
    "free_zone": (IN_THE_FREE_ZONE, 1),
    "without_cbs": (both(WITHOUT_CBS, FREE_AREA), 1),
    "on_paper": (ON_PAPER, 1),
    "air": (by(*AIR), 1),
    "water": (by(*WATER), 1),
    "containers": (both(by(*WATER), LINKED, grown(f"{NORMAL}/infModal/aquav/irin", CONTAINER)), 1),
    "rail": (by(*RAIL), 1),
    "mutual_traffic": (by(*MUTUAL_TRAFFIC), 2),
    "pipeline": (both(by(*PIPELINE), without(f"{NORMAL}/infCarga/vCarga")), 1),
    "multimodal": (by(*MULTIMODAL), 1),
    "complement": (COMPLEMENT, 2),
    "substitution": (SUBSTITUTION, 2),
}
"""The change of the usual document, and its number."""
BASES = tuple(_EDITS)


@cache
def base(name: str, signer: Signer) -> bytes:
    """Returns an accepted document, made once."""
    edit, number = _EDITS[name]
    return cte(signer, edit, number)


def store_cte(context: RequestContext, xml: bytes, **changes: object) -> StoredDocument:
    """Stores a document as if it had been authorized, with changes."""
    judged = JudgedCte(etree.fromstring(xml), AT_SP, context)
    values: dict[str, object] = {
        "environment": HOMOLOGATION,
        "access_key": judged.access_key,
        "authorizer": "SP",
        "issuer": judged.author,
        "recipient": judged.recipient,
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
    ledger = Ledger(context.store)
    ledger.keep_document(stored, DIALECT.number_id(stored.access_key))
    for key in filter(None, (*judged.complemented_keys, judged.replaced_key)):
        ledger.keep_reference(stored, key)
    return stored


def store_original(context: RequestContext) -> None:
    """Stores the document that others refer to."""
    store_cte(context, unsigned_cte(1))


def store_disputed_original(context: RequestContext) -> None:
    """Stores the document that another replaces, and the disagreement of its taker."""
    store_original(context)
    Ledger(context.store).keep_event(
        StoredEvent(
            environment=HOMOLOGATION,
            access_key=ORIGINAL_KEY,
            type="610110",
            sequence=1,
            author=SENDER,
            authorizer="SP",
            registered_at=ISSUED_AT,
            code="135",
            protocol="135260000000009",
            xml=b"<eventoCTe/>",
            answer_xml=b"<retEventoCTe/>",
        )
    )


STORED_BEFORE: Mapping[str, Callable[[RequestContext], None]] = {
    "mutual_traffic": store_original,
    "complement": store_original,
    "substitution": store_disputed_original,
}
"""What the authorities have before they accept a base."""

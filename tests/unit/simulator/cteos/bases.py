"""Accepted CT-e OS by name, each for the rules of one subject, and the documents that must exist before."""

from collections.abc import Callable, Mapping
from functools import cache

from lxml import etree

from carimbo.fiscal.identity.signature import Signer
from carimbo.simulator.family import HOMOLOGATION, RequestContext, ServicePath
from carimbo.simulator.ledger import DocumentStatus, Ledger, StoredEvent
from unit.fiscal.goods.support import CPF, ISSUED_AT
from unit.simulator.cte.bases import FREE_AREA, NORMAL, SIMPLES, WITHOUT_CBS, store_cte
from unit.simulator.cte.sample_cte import SENDER, TAGS, unchanged
from unit.simulator.cteos.sample_cteos import PERMIT, STATE_REGISTRATION, cteos, key_of, unsigned_cteos
from unit.simulator.mutating import Edit, both, renew_key, says, without
from unit.simulator.rules.edits import becomes, filled, grown

AT_SP = ServicePath("SP", HOMOLOGATION, "cteos", "CTeRecepcaoOSV4")
MODE = f"{NORMAL}/infModal"
ROAD = f"{MODE}/rodoOS"
ORIGINAL_KEY = key_of(1)
TICKET_KEY, GTVE_KEY = key_of(5, model="63"), key_of(6, model="64")

WITHIN_THE_STATE = both(
    says("infCte/ide/CFOP", "5353"),
    says("infCte/ide/cMunFim", "3509502"),
    says("infCte/ide/UFFim", "SP"),
    becomes(f"{ROAD}/TAF", STATE_REGISTRATION),
)


def through(*states: str) -> Edit:
    """The way goes through further states."""
    return grown(
        "infCte/ide/UFFim", *(f"<infPercurso><UFPer>{state}</UFPer></infPercurso>" for state in states)
    )


TO_BAHIA = both(says("infCte/ide/cMunFim", "2927408"), says("infCte/ide/UFFim", "BA"))
CONTINUOUS = becomes(f"{ROAD}/infFretamento", "<infFretamento><tpFretamento>2</tpFretamento></infFretamento>")
TO_A_PERSON = both(
    says("infCte/ide/indIEToma", "9"),
    becomes("infCte/toma/CNPJ", f"<CPF>{CPF}</CPF>"),
    without("infCte/toma/IE"),
    without("infCte/imp/infTribFed"),
)
BY_AIR = both(says("infCte/ide/modal", "02"), without(MODE))
VALUABLES = both(says("infCte/ide/tpServ", "7"), without(MODE))
WITHOUT_PLACES = both(
    *(without(f"infCte/ide/{tag}") for tag in ("cMunIni", "xMunIni", "UFIni", "cMunFim", "xMunFim", "UFFim"))
)


def gtve(key: str, *components: str) -> str:
    """Returns the group of a GTV-e."""
    return f"<infGTVe><chCTe>{key}</chCTe>{''.join(components)}</infGTVe>"


def component(kind: str, amount: str, description: str = "") -> str:
    """Returns a component of the price of a GTV-e."""
    text = f"<xComp>{description}</xComp>" if description else ""
    return f"<Comp><tpComp>{kind}</tpComp><vComp>{amount}</vComp>{text}</Comp>"


GTVES = both(
    VALUABLES,
    filled(NORMAL, gtve(GTVE_KEY, component("1", "600.00"), component("6", "400.00", "ESCOLTA"))),
)
INSTEAD_OF_CANCELED = both(VALUABLES, filled(NORMAL, f"<refCTeCanc>{ORIGINAL_KEY}</refCTeCanc>"))
BAGGAGE = both(
    says("infCte/ide/tpServ", "8"),
    says("infCte/ide/indIEToma", "9"),
    WITHOUT_PLACES,
    without("infCte/toma"),
    without("infCte/imp/infTribFed"),
    grown(f"{NORMAL}/infServico", f"<infDocRef><chBPe>{TICKET_KEY}</chBPe></infDocRef>"),
    becomes(ROAD, f"<rodoOS>{PERMIT}</rodoOS>"),
)
EXEMPT = both(
    says("infCte/ide/indIEToma", "2"),
    says("infCte/toma/IE", "ISENTO"),
    says("infCte/toma/enderToma/cMun", "3304557"),
    says("infCte/toma/enderToma/UF", "RJ"),
)
REASON = (
    "<dhCont>2026-11-14T09:00:00-03:00</dhCont>",
    "<xJust>SEM CONEXAO COM A SEFAZ</xJust>",
)
OFFLINE = both(says("infCte/ide/tpEmis", "2"), grown("infCte/ide/UFFim", *REASON))
COMPLEMENT = both(
    says("infCte/ide/tpCTe", "1"),
    becomes(NORMAL, f"<infCteComp><chCTe>{ORIGINAL_KEY}</chCTe></infCteComp>"),
)
SUBSTITUTION = both(
    says("infCte/ide/tpCTe", "3"),
    filled(NORMAL, f"<infCteSub><chCte>{ORIGINAL_KEY}</chCte></infCteSub>"),
)
SIMPLES_WITH_INSS = both(SIMPLES, filled("infCte/imp", "<infTribFed><vINSS>110.00</vINSS></infTribFed>"))

_EDITS: Mapping[str, tuple[Edit, int]] = {
    "people": (unchanged, 1),
    "within_the_state": (WITHIN_THE_STATE, 1),
    "to_bahia": (both(TO_BAHIA, through("MG")), 1),
    "continuous": (CONTINUOUS, 1),
    "to_a_person": (TO_A_PERSON, 1),
    "by_air": (BY_AIR, 1),
    "valuables": (both(VALUABLES, WITHOUT_PLACES), 1),
    "gtves": (GTVES, 1),
    "instead_of_canceled": (INSTEAD_OF_CANCELED, 2),
    "baggage": (BAGGAGE, 1),
    "simples": (SIMPLES_WITH_INSS, 1),
    "exempt": (EXEMPT, 1),
    "offline": (OFFLINE, 1),
    "without_cbs": (both(WITHOUT_CBS, FREE_AREA), 1),
    "complement": (COMPLEMENT, 2),
    "substitution": (SUBSTITUTION, 2),
}
"""The change of the usual document, and its number."""
BASES = tuple(_EDITS)


@cache
def base(name: str, signer: Signer) -> bytes:
    """Returns an accepted document, made once."""
    edit, number = _EDITS[name]
    return cteos(signer, edit, number)


def unsigned(number: int, edit: Edit) -> bytes:
    """Returns a changed document without a signature."""
    root = etree.fromstring(unsigned_cteos(number))
    edit(root)
    renew_key(root, TAGS)
    return etree.tostring(root)


def store_original(context: RequestContext) -> None:
    """Stores the document that others complement."""
    store_cte(context, unsigned_cteos())


def store_canceled(context: RequestContext) -> None:
    """Stores the canceled document that another one stands for."""
    store_cte(context, unsigned(1, VALUABLES), status=DocumentStatus.CANCELED)


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
    "instead_of_canceled": store_canceled,
    "complement": store_original,
    "substitution": store_disputed_original,
}
"""What the authorities have before they accept a base."""

"""Answers of the NF-e and NFC-e authorities as XML, in the order of their layouts (MOC 7.0, layout 4.00)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, Self
from xml.sax.saxutils import unescape
from zoneinfo import ZoneInfo

from carimbo.fiscal.tables.states import STATES, State, state_of_ibge
from carimbo.fiscal.tables.statuses import NFE_STATUSES, REJECTIONS
from carimbo.simulator.contributors import Contributor
from carimbo.simulator.family import World
from carimbo.simulator.place import Place
from carimbo.simulator.rule import Refusal
from carimbo.simulator.writing import APPLICATION, tax_id, texts

NAMESPACE = "http://www.portalfiscal.inf.br/nfe"
NATIONAL_ORGAN = "91"
"""`cOrgao` of the national environment."""

_LONGEST_MESSAGE = 255
_FIRST_REJECTION = 200
_SEATS = {"SVRS": "RS", "SVCRS": "RS"}
_CAPITAL = "DF"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A code, and what the authority adds to its official text."""

    code: str
    detail: str = ""

    @classmethod
    def of(cls, refusal: Refusal) -> Self:
        """What a broken rule leads to."""
        return cls(refusal.code, refusal.detail)

    @property
    def message(self) -> str:
        """`xMotivo`."""
        before = "Rejeição: " if self.is_rejection else ""
        return f"{before}{self._official_text} {self.detail}"[:_LONGEST_MESSAGE].strip()

    @property
    def is_rejection(self) -> bool:
        """Tell whether the authority refuses: from 200 on always, below that as the table says."""
        status = NFE_STATUSES.rows.get(self.code)
        return int(self.code) >= _FIRST_REJECTION or (status is not None and status.action in REJECTIONS)

    @property
    def _official_text(self) -> str:
        status = NFE_STATUSES.rows.get(self.code)
        return status.text if status else "Erro não catalogado"


@dataclass(frozen=True, slots=True)
class Answer:
    """A message, and the code in it that decides."""

    xml: str
    code: str

    @property
    def message(self) -> str:
        """`xMotivo`, which stands beside the code."""
        after = self.xml.partition(f"<cStat>{self.code}</cStat><xMotivo>")[2]
        return unescape(after.partition("<")[0])


class Placed(Protocol):
    """Whatever is in front of an authority."""

    @property
    def place(self) -> Place:
        """Where."""

    @property
    def world(self) -> World:
        """What the authority sees."""


@dataclass(frozen=True, slots=True)
class Speaker:
    """An authority that answers at a moment."""

    place: Place
    now: datetime

    @classmethod
    def of(cls, placed: Placed) -> Self:
        """Whoever has to answer."""
        return cls(placed.place, placed.world.now)

    @property
    def seat(self) -> State:
        """The state where it sits, whose clock it goes by and whose code it falls back on."""
        authorizer = self.place.authorizer
        return STATES.rows.get(authorizer) or STATES[_SEATS.get(authorizer, _CAPITAL)]

    def state(self, code: str) -> State:
        """The state of a code; its own where that is none's."""
        return state_of_ibge(code) or self.seat

    def time(self, moment: datetime | None = None) -> str:
        """A moment, or this one, as the authority writes it."""
        local = (moment or self.now).astimezone(ZoneInfo(self.seat.zone))
        return local.isoformat(timespec="seconds")

    def head(self, verdict: Verdict) -> dict[str, str]:
        """What most answers begin with."""
        return self.signature() | said(verdict)

    def signature(self) -> dict[str, str]:
        """Environment and application."""
        return {"tpAmb": self.place.environment, "verAplic": APPLICATION}


def said(verdict: Verdict) -> dict[str, str]:
    """Code and text."""
    return {"cStat": verdict.code, "xMotivo": verdict.message}


def message(tag: str, version: str, content: str) -> str:
    """An element that stands alone, and so can be kept."""
    return f'<{tag} xmlns="{NAMESPACE}" versao="{version}">{content}</{tag}>'


def lot_answer(speaker: Speaker, verdict: Verdict, state_code: str, inside: str = "") -> str:
    """`retEnviNFe`, with a receipt or a protocol inside."""
    where = {"cUF": state_code, "dhRecbto": speaker.time()}
    return message("retEnviNFe", "4.00", texts(speaker.head(verdict) | where) + inside)


def receipt(number: str) -> str:
    """`infRec`; the average time is never told as less than a second."""
    return f"<infRec>{texts({'nRec': number, 'tMed': '1'})}</infRec>"


def protocol(speaker: Speaker, verdict: Verdict, access_key: str, number: str = "", digest: str = "") -> str:
    """`protNFe`; a rejection has no number."""
    about = {"chNFe": access_key, "dhRecbto": speaker.time(), "nProt": number, "digVal": digest}
    inside = texts(speaker.signature() | about | said(verdict))
    return message("protNFe", "4.00", f"<infProt>{inside}</infProt>")


def receipt_answer(
    speaker: Speaker, verdict: Verdict, number: str, state_code: str, protocols: str = ""
) -> str:
    """`retConsReciNFe`."""
    about = speaker.signature() | {"nRec": number} | said(verdict)
    where = {"cUF": state_code, "dhRecbto": speaker.time()}
    return message("retConsReciNFe", "4.00", texts(about | where) + protocols)


def consult_answer(
    speaker: Speaker, verdict: Verdict, state_code: str, access_key: str, inside: str = ""
) -> str:
    """`retConsSitNFe`, with protocol and events inside."""
    about = {"cUF": state_code, "dhRecbto": speaker.time(), "chNFe": access_key}
    return message("retConsSitNFe", "4.00", texts(speaker.head(verdict) | about) + inside)


def status_answer(
    speaker: Speaker, verdict: Verdict, state_code: str, back_at: datetime | None = None
) -> str:
    """`retConsStatServ`."""
    about = {
        "cUF": state_code,
        "dhRecbto": speaker.time(),
        "tMed": "1",
        "dhRetorno": speaker.time(back_at) if back_at else "",
    }
    return message("retConsStatServ", "4.00", texts(speaker.head(verdict) | about))


def inutilization_answer(
    speaker: Speaker, verdict: Verdict, asked: Mapping[str, str], number: str = ""
) -> str:
    """`retInutNFe`; `asked` is the range as the question had it, with its `cUF`."""
    about = dict(asked) | {"dhRecbto": speaker.time(), "nProt": number}
    inside = texts(speaker.head(verdict) | about)
    return message("retInutNFe", "4.00", f"<infInut>{inside}</infInut>")


def event_lot_answer(speaker: Speaker, verdict: Verdict, lot: str, organ: str, events: str = "") -> str:
    """`retEnvEvento`."""
    about = {"idLote": lot} | speaker.signature() | {"cOrgao": organ} | said(verdict)
    return message("retEnvEvento", "1.00", texts(about) + events)


def event_answer(
    speaker: Speaker, verdict: Verdict, organ: str, about: Mapping[str, str], number: str = ""
) -> str:
    """`retEvento`; `about` names the event, and who is told of it."""
    head = speaker.signature() | {"cOrgao": organ} | said(verdict)
    moment = {"dhRegEvento": speaker.time(), "nProt": number}
    return message("retEvento", "1.00", f"<infEvento>{texts(head | dict(about) | moment)}</infEvento>")


def registry_answer(
    speaker: Speaker, verdict: Verdict, asked: Mapping[str, str], found: Sequence[Contributor] = ()
) -> str:
    """`retConsCad`; `asked` is the question."""
    state = STATES.rows.get(asked.get("UF", ""), speaker.seat)
    when = {"dhCons": speaker.time(), "cUF": state.ibge}
    about = {"verAplic": APPLICATION} | said(verdict) | dict(asked) | when
    inside = texts(about) + "".join(map(_registration, found))
    return message("retConsCad", "2.00", f"<infCons>{inside}</infCons>")


def _registration(contributor: Contributor) -> str:
    """`infCad`; whoever is active may issue NF-e, and of CT-e nothing is known (code 4)."""
    active = "1" if contributor.is_active else "0"
    known = (
        {"IE": contributor.registration}
        | tax_id(contributor.tax_id)
        | {"UF": contributor.state, "cSit": active, "indCredNFe": active, "indCredCTe": "4"}
        | {"xNome": contributor.name, "xFant": contributor.trade_name, "xRegApur": contributor.tax_regime}
        | {"CNAE": contributor.activity}
    )
    address = texts(
        {
            "xLgr": contributor.street,
            "nro": contributor.number,
            "xBairro": contributor.district,
            "cMun": contributor.city_code,
            "xMun": contributor.city,
            "CEP": contributor.zipcode,
        }
    )
    return f"<infCad>{texts(known)}{f'<ender>{address}</ender>' if address else ''}</infCad>"


def distribution_answer(
    speaker: Speaker, verdict: Verdict, last_nsu: int, max_nsu: int, documents: str = ""
) -> str:
    """`retDistDFeInt`, with `docZip` elements inside."""
    where = {"dhResp": speaker.time(), "ultNSU": f"{last_nsu:015d}", "maxNSU": f"{max_nsu:015d}"}
    lot = f"<loteDistDFeInt>{documents}</loteDistDFeInt>" if documents else ""
    return message("retDistDFeInt", "1.01", texts(speaker.head(verdict) | where) + lot)


def authorized_invoice(invoice: bytes, protocol_xml: bytes) -> str:
    """`nfeProc`: a document with its protocol."""
    return message("nfeProc", "4.00", invoice.decode() + protocol_xml.decode())


def registered_event(event: bytes, answer_xml: bytes) -> str:
    """`procEventoNFe`: an event with its registration."""
    return message("procEventoNFe", "1.00", event.decode() + answer_xml.decode())

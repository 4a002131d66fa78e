"""Answers that every SEFAZ family writes: protocol, consult, status and event."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Self
from xml.sax.saxutils import unescape
from zoneinfo import ZoneInfo

from carimbo.fiscal.tables.authorizers import NATIONAL
from carimbo.fiscal.tables.states import STATES, State, state_of_ibge
from carimbo.simulator.place import Place
from carimbo.simulator.rule import Refusal
from carimbo.simulator.sefaz.call import Received
from carimbo.simulator.sefaz.dialect import Dialect
from carimbo.simulator.sefaz.protocols import NATIONAL_ORGAN
from carimbo.simulator.writing import APPLICATION, texts

Verdict = Refusal
"""A code, and what the authority adds to its official text; not every verdict refuses."""

_SEATS = {"SVRS": "RS", "SVCRS": "RS"}
_CAPITAL = "DF"


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


@dataclass(frozen=True, slots=True)
class Authority:
    """An authority that answers at a moment."""

    dialect: Dialect
    place: Place
    now: datetime

    @classmethod
    def of(cls, received: Received) -> Self:
        """Returns the authority that has received something."""
        return cls(received.dialect, received.place, received.world.now)

    @property
    def seat(self) -> State:
        """The state where it sits: it uses the clock of that state, and its code where none else is known."""
        authorizer = self.place.authorizer
        return STATES.rows.get(authorizer) or STATES[_SEATS.get(authorizer, _CAPITAL)]

    @property
    def organ(self) -> str:
        """`cOrgao`."""
        return NATIONAL_ORGAN if self.place.authorizer == NATIONAL else self.seat.ibge

    def state(self, code: str) -> State:
        """Returns the state of a code; its own where that is none's."""
        return state_of_ibge(code) or self.seat

    def time(self, moment: datetime | None = None) -> str:
        """Writes a moment, by default this one, as the authority does."""
        local = (moment or self.now).astimezone(ZoneInfo(self.seat.zone))
        return local.isoformat(timespec="seconds")

    def head(self, verdict: Verdict) -> dict[str, str]:
        """Returns what most answers begin with."""
        return self.signature() | self.result(verdict)

    def signature(self) -> dict[str, str]:
        """Returns environment and application."""
        return {"tpAmb": self.place.environment, "verAplic": APPLICATION}

    def result(self, verdict: Verdict) -> dict[str, str]:
        """Returns code and text."""
        return {"cStat": verdict.code, "xMotivo": self.dialect.text_of(verdict)}


def protocol(
    authority: Authority, verdict: Verdict, access_key: str, number: str = "", digest: str = ""
) -> str:
    """Writes `protNFe`; a rejection has no number."""
    dialect = authority.dialect
    about = {dialect.key_tag: access_key, "dhRecbto": authority.time(), "nProt": number, "digVal": digest}
    inside = texts(authority.signature() | about | authority.result(verdict))
    return dialect.message(f"prot{dialect.stem}", f"<infProt>{inside}</infProt>")


def reception_answer(
    authority: Authority, tag: str, result: Mapping[str, str], state_code: str, protocol_xml: str = ""
) -> str:
    """Writes the answer to a single document, such as `retCTe`; its code and text repeat the protocol's."""
    head = {"tpAmb": authority.place.environment, "cUF": state_code, "verAplic": APPLICATION}
    return authority.dialect.message(tag, texts(head | dict(result)) + protocol_xml)


def consult_answer(
    authority: Authority, verdict: Verdict, state_code: str, access_key: str, inside: str = ""
) -> str:
    """Writes `retConsSitNFe`, with protocol and events inside."""
    dialect = authority.dialect
    about = {"cUF": state_code, "dhRecbto": authority.time(), dialect.key_tag: access_key}
    content = texts(authority.head(verdict) | about) + inside
    return dialect.message(f"retConsSit{dialect.stem}", content)


def status_answer(
    authority: Authority, verdict: Verdict, state_code: str, back_at: datetime | None = None
) -> str:
    """Writes `retConsStatServ`."""
    about = {
        "cUF": state_code,
        "dhRecbto": authority.time(),
        "tMed": "1",
        "dhRetorno": authority.time(back_at) if back_at else "",
    }
    dialect = authority.dialect
    return dialect.message(dialect.status_tag, texts(authority.head(verdict) | about))


def event_answer(
    authority: Authority, verdict: Verdict, organ: str, about: Mapping[str, str], number: str = ""
) -> str:
    """Writes `retEvento`; `about` has the elements between the verdict and the moment."""
    head = authority.signature() | {"cOrgao": organ} | authority.result(verdict)
    moment = {"dhRegEvento": authority.time(), "nProt": number}
    inside = texts(head | dict(about) | moment)
    dialect = authority.dialect
    content = f"<infEvento>{inside}</infEvento>"
    return dialect.message(dialect.event_answer_tag, content, dialect.event_version)


def authorized_document(dialect: Dialect, document: bytes, protocol_xml: bytes) -> str:
    """Writes `nfeProc`: a document with its protocol."""
    return dialect.message(dialect.archive_tag, document.decode() + protocol_xml.decode())


def registered_event(dialect: Dialect, event: bytes, answer_xml: bytes) -> str:
    """Writes `procEventoNFe`: an event with its registration."""
    content = event.decode() + answer_xml.decode()
    return dialect.message(f"procEvento{dialect.stem}", content, dialect.event_version)

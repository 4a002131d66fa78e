"""Answers that every SEFAZ family writes (protocol, consult, status, event), and the numbers in them."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Self
from xml.sax.saxutils import unescape
from zoneinfo import ZoneInfo

from carimbo.fiscal.tables.authorities import NATIONAL
from carimbo.fiscal.tables.geography import STATES, State, state_of_ibge
from carimbo.simulator.family import ServicePath
from carimbo.simulator.identifiers import KEY_NUMERIC_CODE, KEY_STATE, check_digit
from carimbo.simulator.ledger import StoredDocument, StoredEvent
from carimbo.simulator.rules import AuthorityVerdict
from carimbo.simulator.sefaz.call import ReceivedMessage
from carimbo.simulator.sefaz.dialect import FamilyDialect, RejectionDetail
from carimbo.simulator.xml_messages import APPLICATION, text_elements

NATIONAL_ORGAN = "91"
"""`cOrgao` of the national environment."""
_OWN_STATE_DIGIT = "1"
_STATE_OF_AUTHORIZER = {"SVRS": "RS", "SVCRS": "RS", "SVSP": "SP"}
_NATIONAL_STATE = "DF"
_KEY = re.compile(r"[0-9A-Z]{35}[0-9]{9}")


def next_protocol(received: ReceivedMessage, state_code: str) -> str:
    """Returns a new protocol: type of authority, state, year and ten digits (MOC 7.0, 4.3.4)."""
    prefix = _protocol_prefix(received, state_code)
    counter = f"protocol {received.service_path.environment} {prefix}"
    return f"{prefix}{received.context.store.next_number(counter):010d}"


def sample_protocol(received: ReceivedMessage, state_code: str) -> str:
    """Returns a well-formed protocol that is never assigned: real ones are counted from one."""
    return f"{_protocol_prefix(received, state_code)}{0:010d}"


def next_receipt(received: ReceivedMessage, state_code: str) -> str:
    """Returns a new receipt: state, type of authority and twelve digits (MOC 7.0, 4.3.5)."""
    prefix = f"{state_code}{_authority_digit(received)}"
    counter = f"receipt {received.service_path.environment} {prefix}"
    return f"{prefix}{received.context.store.next_number(counter):012d}"


def _protocol_prefix(received: ReceivedMessage, state_code: str) -> str:
    where = NATIONAL_ORGAN if received.service_path.authorizer == NATIONAL else state_code
    return f"{_authority_digit(received)}{where}{received.context.now:%y}"


def _authority_digit(received: ReceivedMessage) -> str:
    """The digit for the type of authority: a state's own, or one that serves several states."""
    return received.dialect.protocol_digits.get(received.service_path.authorizer, _OWN_STATE_DIGIT)


@dataclass(frozen=True, slots=True)
class ServiceAnswer:
    """An answer, and the code in it that decides."""

    xml: str
    code: str

    @property
    def message(self) -> str:
        """The `xMotivo` next to the code."""
        after = self.xml.partition(f"<cStat>{self.code}</cStat><xMotivo>")[2]
        return unescape(after.partition("<")[0])


@dataclass(frozen=True, slots=True)
class AnsweringAuthority:
    """An authority at the moment of its answer."""

    dialect: FamilyDialect
    service_path: ServicePath
    now: datetime

    @classmethod
    def of(cls, received: ReceivedMessage) -> Self:
        """Returns the authority that has received a message."""
        return cls(received.dialect, received.service_path, received.context.now)

    @property
    def home_state(self) -> State:
        """The state of its seat, which gives its time zone, and its code where no other applies."""
        authorizer = self.service_path.authorizer
        return STATES.rows.get(authorizer) or STATES[_STATE_OF_AUTHORIZER.get(authorizer, _NATIONAL_STATE)]

    @property
    def organ(self) -> str:
        """`cOrgao`."""
        return NATIONAL_ORGAN if self.service_path.authorizer == NATIONAL else self.home_state.ibge

    def state(self, code: str) -> State:
        """Returns the state of a code; its own if there is no such state."""
        return state_of_ibge(code) or self.home_state

    def time(self, moment: datetime | None = None, *, with_zone: bool = True) -> str:
        """Returns a moment, by default this one, as the authority writes it."""
        local = (moment or self.now).astimezone(ZoneInfo(self.home_state.zone))
        return (local if with_zone else local.replace(tzinfo=None)).isoformat(timespec="seconds")

    def head_fields(self, verdict: AuthorityVerdict) -> dict[str, str]:
        """Returns the first elements of most answers, by tag."""
        return self.application_fields() | self.result_fields(verdict)

    def application_fields(self) -> dict[str, str]:
        """Returns environment and application, by tag."""
        return {"tpAmb": self.service_path.environment, "verAplic": APPLICATION}

    def result_fields(self, verdict: AuthorityVerdict) -> dict[str, str]:
        """Returns code and text, by tag."""
        return {"cStat": verdict.code, "xMotivo": self.dialect.text_of(verdict)}


def protocol(
    authority: AnsweringAuthority,
    verdict: AuthorityVerdict,
    access_key: str,
    number: str = "",
    digest: str = "",
) -> str:
    """Returns `protNFe`; a rejection has no number."""
    dialect = authority.dialect
    about = {dialect.key_tag: access_key, "dhRecbto": authority.time(), "nProt": number, "digVal": digest}
    inside = text_elements(authority.application_fields() | about | authority.result_fields(verdict))
    return dialect.message(f"prot{dialect.stem}", f"<infProt>{inside}</infProt>")


def reception_answer(
    authority: AnsweringAuthority,
    tag: str,
    result: Mapping[str, str],
    state_code: str,
    protocol_xml: str = "",
) -> str:
    """Returns the answer to a single document, such as `retCTe`, with the protocol's code and text."""
    head = {"tpAmb": authority.service_path.environment, "cUF": state_code, "verAplic": APPLICATION}
    return authority.dialect.message(tag, text_elements(head | dict(result)) + protocol_xml)


def consult_answer(
    authority: AnsweringAuthority,
    verdict: AuthorityVerdict,
    state_code: str,
    access_key: str,
    inside: str = "",
) -> str:
    """Returns `retConsSitNFe`, with protocol and events inside."""
    dialect = authority.dialect
    about = {"cUF": state_code}
    if dialect.consult_repeats_key:
        about |= {"dhRecbto": authority.time(), dialect.key_tag: access_key}
    content = text_elements(authority.head_fields(verdict) | about) + inside
    return dialect.message(f"retConsSit{dialect.stem}", content)


def status_answer(
    authority: AnsweringAuthority, verdict: AuthorityVerdict, state_code: str, back_at: datetime | None = None
) -> str:
    """Returns `retConsStatServ`."""
    about = {
        "cUF": state_code,
        "dhRecbto": authority.time(),
        "tMed": "1",
        "dhRetorno": authority.time(back_at) if back_at else "",
    }
    dialect = authority.dialect
    return dialect.message(dialect.status_tag, text_elements(authority.head_fields(verdict) | about))


def event_answer(
    authority: AnsweringAuthority,
    verdict: AuthorityVerdict,
    organ: str,
    about: Mapping[str, str],
    number: str = "",
) -> str:
    """Returns `retEvento`; `about` has the elements between the verdict and the time."""
    head = authority.application_fields() | {"cOrgao": organ} | authority.result_fields(verdict)
    moment = {"dhRegEvento": authority.time(), "nProt": number}
    inside = text_elements(head | dict(about) | moment)
    dialect = authority.dialect
    content = f"<infEvento>{inside}</infEvento>"
    return dialect.message(dialect.event_answer_tag, content, dialect.event_version)


def distribution_answer(
    authority: AnsweringAuthority, verdict: AuthorityVerdict, last_nsu: int, max_nsu: int, documents: str = ""
) -> str:
    """Returns `retDistDFeInt`, with `docZip` elements inside."""
    time = authority.time(with_zone=authority.dialect.distributes_with_zone)
    where = {"dhResp": time, "ultNSU": f"{last_nsu:015d}", "maxNSU": f"{max_nsu:015d}"}
    lot = f"<loteDistDFeInt>{documents}</loteDistDFeInt>" if documents else ""
    dialect = authority.dialect
    content = text_elements(authority.head_fields(verdict) | where) + lot
    return dialect.message("retDistDFeInt", content, dialect.versions["distDFeInt"][0])


def authorized_document(dialect: FamilyDialect, document: bytes, protocol_xml: bytes) -> str:
    """Returns `nfeProc`: a document with its protocol."""
    return dialect.message(dialect.archive_tag, document.decode() + protocol_xml.decode())


def registered_event(dialect: FamilyDialect, event: bytes, answer_xml: bytes) -> str:
    """Returns `procEventoNFe`: an event with its registration."""
    content = event.decode() + answer_xml.decode()
    return dialect.message(f"procEvento{dialect.stem}", content, dialect.event_version)


def consulted_document(
    dialect: FamilyDialect, document: StoredDocument, events: Iterable[StoredEvent]
) -> str:
    """Returns the protocol and the events of a document, as a consult shows them."""
    protocol_xml = document.protocol_xml.decode()
    registered = [registered_event(dialect, event.xml, event.answer_xml) for event in events]
    if not dialect.nests_in_consult:
        return protocol_xml + "".join(registered)
    tag = f"procEvento{dialect.stem}"
    nested = (dialect.message(tag, event, dialect.event_version) for event in registered)
    return dialect.message(f"prot{dialect.stem}", protocol_xml) + "".join(nested)


def with_sample_detail(
    received: ReceivedMessage, verdict: AuthorityVerdict, access_key: str
) -> AuthorityVerdict:
    """Returns a rejection that a trigger asks for, with the detail it would have if it were true."""
    detail = received.dialect.details.get(verdict.code)
    if detail is None or not _KEY.fullmatch(access_key):
        return verdict
    text = f"[nProt:{sample_protocol_for(received, access_key[KEY_STATE])}]"
    if detail in (RejectionDetail.DOCUMENT, RejectionDetail.OTHER_DOCUMENT):
        zone = ZoneInfo(AnsweringAuthority.of(received).state(access_key[KEY_STATE]).zone)
        moment = received.context.now.astimezone(zone)
        text = f"{text}[dhAut:{moment.isoformat(timespec='seconds')}]"
    if detail in (RejectionDetail.OTHER_DOCUMENT, RejectionDetail.OPEN_DOCUMENT):
        code = (int(access_key[KEY_NUMERIC_CODE]) + 1) % 10**8
        first = f"{access_key[: KEY_NUMERIC_CODE.start]}{code:08d}"
        text = f"[{received.dialect.key_tag}:{first}{check_digit(first)}]{text}"
    return AuthorityVerdict(verdict.code, text)


def sample_protocol_for(received: ReceivedMessage, state_code: str) -> str:
    """Returns a protocol that is never assigned, of a state or of the authority's own."""
    return sample_protocol(received, AnsweringAuthority.of(received).state(state_code).ibge)

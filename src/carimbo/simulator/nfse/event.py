"""Events of a note: their types (Anexo II), the request under judgement, and registration."""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from sqlite3 import IntegrityError

from carimbo.simulator.family import RequestContext, ServicePath
from carimbo.simulator.group import NOTHING, Group, group_of
from carimbo.simulator.ledger import DocumentStatus, Ledger, StoredDocument, StoredEvent
from carimbo.simulator.nfse.answers import brasilia_time
from carimbo.simulator.nfse.call import NAMESPACE
from carimbo.simulator.nfse.distribution_sequence import distribute_event
from carimbo.simulator.nfse.dps import JudgedDps
from carimbo.simulator.nfse.note_xml import VERSION
from carimbo.simulator.nfse.stored_notes import NATIONAL, stored_dps
from carimbo.simulator.rules import SignedSubmission
from carimbo.simulator.xml_messages import APPLICATION, element_with, tax_id_field, text_elements

CANCELLATION, SUBSTITUTION, ANALYSIS = "101101", "105102", "101103"
_BY_PROVIDER, _BY_TAKER, _BY_INTERMEDIARY = "202201", "203202", "204203"
_REFUSED_BY_PROVIDER, _REFUSED_BY_TAKER, _REFUSED_BY_INTERMEDIARY = "202205", "203206", "204207"

CONFIRMATIONS = frozenset({_BY_PROVIDER, _BY_TAKER, _BY_INTERMEDIARY})
MANIFESTATIONS = CONFIRMATIONS | {_REFUSED_BY_PROVIDER, _REFUSED_BY_TAKER, _REFUSED_BY_INTERMEDIARY}
CANCELED_BY = frozenset({CANCELLATION, SUBSTITUTION})
"""Events that cancel a note; no other event may follow them."""

PROVIDER, TAKER, INTERMEDIARY = "prest", "toma", "interm"
_EXCLUDES_CANCELLATION = frozenset({ANALYSIS}) | CANCELED_BY | CONFIRMATIONS
_DETAIL = re.compile("e([0-9]{6})")
EVENT_SEQUENCE = 1
"""Every event that the simulator accepts is registered once per note."""
REGISTERED = "201"
"""The HTTP status, as there is no other code."""
_NO_SERIAL = "0"
"""`nDFSe`: the Sefin does not number events."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteEventType:
    """A type of event that taxpayers may register."""

    name: str
    author: str
    """The group of the declaration that names the party who may register it."""
    code: str
    """The code of the rejection if an excluding event exists."""
    excluded_by: frozenset[str]
    """The types of events that must not exist yet."""


def _manifestation(name: str, author: str, code: str, *excluded_by: str) -> NoteEventType:
    return NoteEventType(
        name=f"Manifestação de NFS-e - {name}",
        author=author,
        code=code,
        excluded_by=CANCELED_BY | {*excluded_by},
    )


EVENT_TYPES: Mapping[str, NoteEventType] = {
    CANCELLATION: NoteEventType(
        name="Cancelamento de NFS-e", author=PROVIDER, code="E0840", excluded_by=_EXCLUDES_CANCELLATION
    ),
    ANALYSIS: NoteEventType(
        name="Solicitação de Análise Fiscal para Cancelamento de NFS-e",
        author=PROVIDER,
        code="E0848",
        excluded_by=_EXCLUDES_CANCELLATION,
    ),
    # For the other parties E1833 refuses repeated events.
    _BY_PROVIDER: _manifestation("Confirmação do Prestador", PROVIDER, "E0860", _BY_PROVIDER),
    _BY_TAKER: _manifestation("Confirmação do Tomador", TAKER, "E0861"),
    _BY_INTERMEDIARY: _manifestation("Confirmação do Intermediário", INTERMEDIARY, "E0862"),
    _REFUSED_BY_PROVIDER: _manifestation("Rejeição do Prestador", PROVIDER, "E0864", _REFUSED_BY_PROVIDER),
    _REFUSED_BY_TAKER: _manifestation("Rejeição do Tomador", TAKER, "E0866"),
    _REFUSED_BY_INTERMEDIARY: _manifestation("Rejeição do Intermediário", INTERMEDIARY, "E0868"),
}
EVENT_NAMES = {type_: event_type.name for type_, event_type in EVENT_TYPES.items()} | {
    SUBSTITUTION: "Cancelamento de NFS-e por Substituição",
}
"""The names of all event types in the simulator."""


@dataclass(frozen=True)
class JudgedNoteEvent(SignedSubmission):
    """A `pedRegEvento` that is valid by its XSD; it is the root of its own tree."""

    requested_key: str
    """The key in the path of the request."""

    @cached_property
    def content(self) -> Group:
        """`infPedReg`."""
        return group_of(next(self.element.iterchildren(f"{{{NAMESPACE}}}infPedReg")))

    @property
    def id(self) -> str:
        """The Id of the request, which is unique."""
        return self.content.attributes.get("Id", "")

    @property
    def access_key(self) -> str:
        """The key of the note."""
        return self.text("chNFSe")

    @property
    def author(self) -> str:
        """CNPJ or CPF of the party who registers the event."""
        return self.text("CNPJAutor") or self.text("CPFAutor")

    @cached_property
    def type(self) -> str:
        """The six digits in the name of the group with the event's details."""
        tags = (*self.content.groups, *self.content.texts)
        return next((match.group(1) for tag in tags if (match := _DETAIL.match(tag))), "")

    @property
    def event_type(self) -> NoteEventType | None:
        """The definition of the type; None if taxpayers may not register it."""
        return EVENT_TYPES.get(self.type)

    @cached_property
    def document(self) -> StoredDocument | None:
        """The note, if it is stored."""
        return self.ledger.document(self.service_path.environment, self.access_key)

    @cached_property
    def note(self) -> Group:
        """The `infDPS` of the note; an empty group if there is none."""
        return stored_dps(self.document) if self.document else NOTHING

    @cached_property
    def earlier(self) -> list[StoredEvent]:
        """The events that the note already has."""
        return self.ledger.events(self.service_path.environment, self.access_key)

    def text(self, path: str) -> str:
        """Returns a text of the request by its path, such as `e101101/xMotivo`; empty if missing."""
        return self.content.text(path)


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedEvent:
    """An event to register."""

    access_key: str
    type: str
    author: str
    request: str
    """The `pedRegEvento` as it was received."""


def register_event(registration: AcceptedEvent, service_path: ServicePath, context: RequestContext) -> bytes:
    """Stores an event and its effect on the note; returns the `evento`, signed by the authority."""
    xml = _event_xml(registration, context)
    event = StoredEvent(
        environment=service_path.environment,
        access_key=registration.access_key,
        type=registration.type,
        sequence=EVENT_SEQUENCE,
        author=registration.author,
        authorizer=service_path.authorizer,
        registered_at=context.now,
        code=REGISTERED,
        protocol=_NO_SERIAL,
        xml=registration.request.encode(),
        answer_xml=xml,
    )
    ledger = Ledger(context.store)
    # A repeated event gets here only if its rules are switched off: the first one stays.
    with suppress(IntegrityError):
        ledger.keep_event(event)
        distribute_event(event, context)
    if registration.type in CANCELED_BY:
        ledger.change_status(service_path.environment, registration.access_key, DocumentStatus.CANCELED)
    return xml


def _event_xml(registration: AcceptedEvent, context: RequestContext) -> bytes:
    inside = text_elements(
        {
            "verAplic": APPLICATION,
            "ambGer": NATIONAL,
            "nSeqEvento": str(EVENT_SEQUENCE),
            "dhProc": brasilia_time(context.now).isoformat(timespec="seconds"),
            "nDFSe": _NO_SERIAL,
        }
    )
    id_ = f"EVT{registration.access_key}{registration.type}{EVENT_SEQUENCE:03d}"
    signed = f'<infEvento Id="{id_}">{inside}{registration.request}</infEvento>'
    return context.signer.sign(f'<evento xmlns="{NAMESPACE}" versao="{VERSION}">{signed}</evento>')


def replace_note(dps: JudgedDps, access_key: str) -> None:
    """Registers the substitution of the note that a declaration replaces, if any."""
    if dps.replaced is None or dps.replaced.is_canceled:
        return
    registration = AcceptedEvent(
        access_key=dps.replaced.access_key,
        type=SUBSTITUTION,
        author=dps.author,
        request=_substitution_request(dps, access_key),
    )
    register_event(registration, dps.service_path, dps.context)


def _substitution_request(dps: JudgedDps, access_key: str) -> str:
    """Returns the `pedRegEvento`, unsigned because the authority itself requests it."""
    head = {
        "tpAmb": dps.service_path.environment,
        "verAplic": APPLICATION,
        "dhEvento": brasilia_time(dps.context.now).isoformat(timespec="seconds"),
    }
    about = tax_id_field(dps.author, "Autor") | {"chNFSe": dps.replaced_key}
    detail = {
        "xDesc": EVENT_NAMES[SUBSTITUTION],
        "cMotivo": dps.text("subst/cMotivo"),
        "xMotivo": dps.text("subst/xMotivo"),
        "chSubstituta": access_key,
    }
    inside = text_elements(head | about) + element_with(f"e{SUBSTITUTION}", text_elements(detail))
    content = f'<infPedReg Id="PRE{dps.replaced_key}{SUBSTITUTION}">{inside}</infPedReg>'
    return f'<pedRegEvento xmlns="{NAMESPACE}" versao="{VERSION}">{content}</pedRegEvento>'

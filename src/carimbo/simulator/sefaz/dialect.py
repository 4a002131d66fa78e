"""The dialect of a SEFAZ family: names, versions, codes and event types that differ between families."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from carimbo.fiscal.schemas.files import Schema
from carimbo.fiscal.tables.statuses import REJECTIONS, Action, AuthorityStatus
from carimbo.fiscal.tables.table import Table
from carimbo.simulator.family import ServicePath
from carimbo.simulator.identifiers import KEY_EMISSION, KEY_ISSUER, KEY_MODEL, KEY_NUMBER, KEY_STATE
from carimbo.simulator.ledger import DocumentStatus
from carimbo.simulator.rules import AuthorityVerdict
from carimbo.simulator.sefaz.soap import MessageDamage

OUT_OF_SERVICE = frozenset({"108", "109"})
MAX_MESSAGE_LENGTH = 255
"""Of `xMotivo`."""
_FIRST_REJECTION = 200
_UNKNOWN_CODE = "Erro não catalogado"
_DAMAGES = {MessageDamage.NOT_ZIPPED: "244", MessageDamage.TOO_LARGE: "214", MessageDamage.MALFORMED: "243"}


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedEventType:
    """A type of event: who can register it, on which documents, and with which result."""

    code: str
    """`tpEvento`."""
    description: str = ""
    """`xEvento` of the registration."""
    schema: Schema | None = None
    """The XSD of the event; None if there is none in the package."""
    last_sequence: int = 1
    """How often a document can have it (`nSeqEvento`)."""
    models: frozenset[str] = frozenset()
    """The models of its documents, for types that the authority of the issuer's state accepts."""
    is_national: bool = False
    """Whether the national environment accepts it, instead of the issuer's authority."""
    by_issuer: bool = True
    """Whether its author is the issuer of the document."""
    in_contingency: bool = True
    """Whether a contingency authority (SVC) accepts it."""
    needs_document: bool = False
    """Whether the authority must have the document (135). Other types get 136 without it."""
    refused_in: Mapping[DocumentStatus, str] = field(default_factory=dict)
    """The code of its rejection, by the status of the document; all other statuses allow it."""
    resulting_status: DocumentStatus | None = None
    """The new status of the document; None: it does not change."""
    names_recipient: bool = False
    """Whether the answer repeats the recipient of the document."""


class RejectionDetail(Enum):
    """What authorities add to a rejection because of another document or event."""

    DOCUMENT = auto()
    """Protocol and time of the document."""
    OTHER_DOCUMENT = auto()
    """The key of the document with the same number, its protocol and its time."""
    OPEN_DOCUMENT = auto()
    """The key of an open document, and its protocol."""
    EVENT = auto()
    """The protocol of the event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyDialect:
    """The names, versions and codes of one family. The comments show those of the NF-e."""

    namespace: str
    stem: str
    """`NFe`: part of `chNFe`, `protNFe`, `retConsSitNFe`, `procEventoNFe`, and prefix of the key in an Id."""
    models: Mapping[str, str]
    """The models of its documents, by the part of the path: `nfe` is 55."""
    statuses: Table[str, AuthorityStatus]
    borrowed: Mapping[str, Table[str, AuthorityStatus]] = field(default_factory=dict)
    """Codes whose text is in the table of another family, by code."""
    version: str
    """Version of documents and of most messages: `4.00`."""
    versions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Versions of the other messages, by root element. The package has the XSD of the first one."""
    max_message_bytes: int = 512 * 1024
    damages: Mapping[MessageDamage, str] = field(default_factory=lambda: _DAMAGES)
    """The codes of unreadable messages."""
    overuse: str = "678"
    """The code of too many calls."""

    request_tag: str
    """Element around a message: `nfeDadosMsg`."""
    answer_tag: str = ""
    """Element around an answer: `nfeResultMsg`; empty: the operation's name and `Result`."""
    header_tag: str = ""
    """Element in the header of the envelope, of services that require one."""
    archive_tag: str
    """Element around a document with its protocol: `nfeProc`."""
    status_tag: str
    """Answer about the service: `retConsStatServ`."""

    consult_repeats_key: bool = True
    """Whether the answer to a consult has the key, and its own time."""

    nests_in_consult: bool = False
    """Whether a consult encloses protocol and events once more, in elements with the same names."""

    distributes_with_zone: bool = True
    """Whether the time of a distribution has an offset."""

    content_tag: str
    """The signed part of a document: `infNFe`."""
    number_tag: str
    """`nNF`."""
    numeric_code_tag: str
    """`cNF`."""
    numbered_by_emission: frozenset[str] = frozenset()
    """Models whose numbers are unique per emission type only."""

    event_answer_tag: str = "retEvento"
    event_version: str
    sequence_digits: int = 3
    """Digits of the sequence in the Id of an event."""
    wrapped_details: bool = True
    """Whether each event type has its own element inside `detEvento`."""
    event_types: Mapping[str, JudgedEventType]
    """By code."""

    details: Mapping[str, RejectionDetail] = field(default_factory=dict)
    """What a rejection adds, by code, if a trigger asks for it."""
    protocol_digits: Mapping[str, str] = field(default_factory=dict)
    """The first digit of a protocol, by authority; 1 for a state's own."""
    named_parties: tuple[str, ...] = ()
    """Elements whose `xNome` can contain a trigger."""
    free_texts: tuple[str, ...] = ()
    """Text elements that can contain a trigger."""

    @property
    def key_tag(self) -> str:
        """`chNFe`."""
        return f"ch{self.stem}"

    def tag(self, name: str) -> str:
        """Returns a name in the namespace of the family, in lxml's form."""
        return f"{{{self.namespace}}}{name}"

    def model_at(self, service_path: ServicePath) -> str:
        """Returns the model of the documents of a path."""
        return self.models[service_path.family]

    def event_type(self, code: str) -> JudgedEventType:
        """Returns an event type; an unknown one has no effect."""
        return self.event_types.get(code) or JudgedEventType(code=code)

    def number_id(self, access_key: str) -> str:
        """Returns the identity of a number: state, issuer, model, series and number."""
        emission = access_key[KEY_EMISSION] if access_key[KEY_MODEL] in self.numbered_by_emission else ""
        return f"{access_key[KEY_STATE]}{access_key[KEY_ISSUER.start : KEY_NUMBER.stop]}{emission}"

    def message(self, tag: str, content: str, version: str = "") -> str:
        """Returns an element with its namespace, which can be stored and sent on its own."""
        return f'<{tag} xmlns="{self.namespace}" versao="{version or self.version}">{content}</{tag}>'

    def status(self, code: str) -> AuthorityStatus | None:
        """Returns the official meaning of a code; None if it is not in the table."""
        return self.borrowed.get(code, self.statuses).rows.get(code)

    def is_rejection(self, code: str) -> bool:
        """Returns whether a code is a rejection: all from 200 on, and others by the table."""
        status = self.status(code)
        return int(code) >= _FIRST_REJECTION or (status is not None and status.action in REJECTIONS)

    def can_refuse_with(self, code: str) -> bool:
        """Returns whether a trigger can ask for a code: any rejection except the former denials."""
        status = self.status(code)
        if status is None or status.action is Action.DENIED:
            return False
        return code in OUT_OF_SERVICE or self.is_rejection(code)

    def text_of(self, verdict: AuthorityVerdict) -> str:
        """Returns `xMotivo`: the official text of a code, and the detail of the verdict."""
        status = self.status(verdict.code)
        before = "Rejeição: " if self.is_rejection(verdict.code) else ""
        official = status.text if status else _UNKNOWN_CODE
        return f"{before}{official} {verdict.detail}"[:MAX_MESSAGE_LENGTH].strip()

"""What one SEFAZ family calls things: the names, versions and codes in which NF-e, CT-e and MDF-e differ."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from carimbo.fiscal.tables.statuses import REJECTIONS, Action, Status
from carimbo.fiscal.tables.table import Table
from carimbo.simulator.place import Place
from carimbo.simulator.rule import Refusal
from carimbo.simulator.sefaz.event_type import EventType
from carimbo.simulator.sefaz.key_parts import EMISSION, ISSUER, MODEL, NUMBER, STATE
from carimbo.simulator.soap import Damage

OUT_OF_SERVICE = frozenset({"108", "109"})
LONGEST_MESSAGE = 255
"""Of `xMotivo`."""
_FIRST_REJECTION = 200
_UNKNOWN_CODE = "Erro não catalogado"
_DAMAGES = {Damage.NOT_ZIPPED: "244", Damage.TOO_LARGE: "214", Damage.MALFORMED: "243"}


class Detail(Enum):
    """What the authorities add to a rejection of something that they have already."""

    DOCUMENT = auto()
    """Protocol and moment of the document."""
    OTHER_DOCUMENT = auto()
    """The key of the document that has the number, and the same."""
    EVENT = auto()
    """The protocol of the event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The words of one family. The comments name those of the NF-e."""

    namespace: str
    stem: str
    """`NFe`: of `chNFe`, `protNFe`, `retConsSitNFe`, `procEventoNFe`, and before the key in an Id."""
    models: Mapping[str, str]
    """The models of its documents, by the part of the path that is for them: `nfe` is 55."""
    statuses: Table[str, Status]
    version: str
    """Of documents and of most messages: `4.00`."""
    versions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of the messages that have others, by their root. An XSD is at hand for the first of them."""
    largest_message: int = 512 * 1024
    damages: Mapping[Damage, str] = field(default_factory=lambda: _DAMAGES)
    """The codes of messages that cannot be read."""
    overuse: str = "678"
    """The code of too many calls."""

    request_tag: str
    """Around a message: `nfeDadosMsg`."""
    answer_tag: str = ""
    """Around an answer: `nfeResultMsg`; empty where it has the name of the operation and `Result`."""
    header_tag: str = ""
    """In the header of the envelope, for the services that want one."""
    archive_tag: str
    """A document with its protocol: `nfeProc`."""
    status_tag: str
    """The answer about the service: `retConsStatServ`."""

    content_tag: str
    """The signed part of a document: `infNFe`."""
    number_tag: str
    """`nNF`."""
    numeric_code_tag: str
    """`cNF`."""
    numbered_by_emission: frozenset[str] = frozenset()
    """Models of which the way of emission is part of the number."""

    event_answer_tag: str = "retEvento"
    event_version: str
    sequence_digits: int = 3
    """Of the sequence in the Id of an event."""
    wrapped_details: bool = True
    """Whether each type of event has an element of its own inside `detEvento`."""
    event_types: Mapping[str, EventType]
    """By their codes."""

    details: Mapping[str, Detail] = field(default_factory=dict)
    """What is added to a rejection, by its code, where a trigger asks for it."""
    protocol_digits: Mapping[str, str] = field(default_factory=dict)
    """The first digit of a protocol by authority; those that are not here are a state's own, with 1."""
    named_parties: tuple[str, ...] = ()
    """Elements whose `xNome` may hold a trigger."""
    free_texts: tuple[str, ...] = ()
    """Elements of text that may hold a trigger."""

    @property
    def key_tag(self) -> str:
        """`chNFe`."""
        return f"ch{self.stem}"

    def tag(self, name: str) -> str:
        """Returns a name in the namespace of the family, as lxml writes it."""
        return f"{{{self.namespace}}}{name}"

    def model_at(self, place: Place) -> str:
        """Returns the model of the documents that a path is for."""
        return self.models[place.family]

    def event_type(self, code: str) -> EventType:
        """Returns a type of event; one that nobody knows has no effect."""
        return self.event_types.get(code) or EventType(code=code)

    def number_id(self, access_key: str) -> str:
        """Returns what makes the number of a document: state, issuer, model, series and number."""
        emission = access_key[EMISSION] if access_key[MODEL] in self.numbered_by_emission else ""
        return f"{access_key[STATE]}{access_key[ISSUER.start : NUMBER.stop]}{emission}"

    def message(self, tag: str, content: str, version: str = "") -> str:
        """Writes an element that declares its namespace, and so can be kept and sent alone."""
        return f'<{tag} xmlns="{self.namespace}" versao="{version or self.version}">{content}</{tag}>'

    def is_rejection(self, code: str) -> bool:
        """Returns whether a code refuses: from 200 on always, below that as the table says."""
        status = self.statuses.rows.get(code)
        return int(code) >= _FIRST_REJECTION or (status is not None and status.action in REJECTIONS)

    def can_refuse_with(self, code: str) -> bool:
        """Returns whether a trigger may ask for a code: any rejection but the denials of old."""
        status = self.statuses.rows.get(code)
        if status is None or status.action is Action.DENIED:
            return False
        return code in OUT_OF_SERVICE or self.is_rejection(code)

    def text_of(self, verdict: Refusal) -> str:
        """Returns `xMotivo`: the official text of a code, and what the authority adds to it."""
        status = self.statuses.rows.get(verdict.code)
        before = "Rejeição: " if self.is_rejection(verdict.code) else ""
        official = status.text if status else _UNKNOWN_CODE
        return f"{before}{official} {verdict.detail}"[:LONGEST_MESSAGE].strip()

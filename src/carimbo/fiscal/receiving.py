"""Documents that others issue for a company, and that an authority distributes to it.

A document type that is distributed fills `Receiving`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field

from carimbo.fiscal.body.fields import Body, Integer, Number, Quantity, Record
from carimbo.fiscal.body.form_layout import FormLayout
from carimbo.fiscal.distribution import DistributionAnswer
from carimbo.fiscal.filing import EventSubject, FilingIssuer, FilingResult
from carimbo.fiscal.parties.company import Company


class Role(StrEnum):
    """The part that the company has in a received document."""

    RECIPIENT = "recipient"
    """The recipient of the goods."""
    TAKER = "taker"
    """Who takes and pays the service."""
    INTERMEDIARY = "intermediary"
    SHIPPER = "shipper"
    CARRIER = "carrier"
    AUTHORIZED = "authorized"
    """Whom the issuer allows to read it (autXML)."""
    ISSUER = "issuer"
    """The company itself, with another program."""
    OTHER = "other"


class Situation(StrEnum):
    """What has become of a received document at its authority."""

    AUTHORIZED = "authorized"
    CORRECTED = "corrected"
    """Authorized, and corrected by a letter of its issuer."""
    CANCELED = "canceled"
    DENIED = "denied"

    @property
    def is_valid(self) -> bool:
        """Whether the document has its fiscal effect."""
        return self in (Situation.AUTHORIZED, Situation.CORRECTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedDocument:
    """What a file of the distribution says about a document."""

    type: str
    """The name of its document type."""
    access_key: str
    number: int | None
    series: int | None
    issuer_tax_id: str
    issuer_name: str
    role: Role
    """The part of the taxpayer to whom it was distributed."""
    amount: Decimal | None
    issued_at: datetime | None
    authorized_at: datetime | None
    protocol: str | None
    situation: Situation
    is_full: bool
    """Whether the file is the document itself; False for a summary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedEvent:
    """What a file of the distribution says about an event of a document."""

    access_key: str
    """Of the document."""
    code: str
    """The official type, as `110111`."""
    description: str
    sequence: int
    author_tax_id: str | None
    protocol: str | None
    occurred_at: datetime | None
    registered_at: datetime | None
    situation: Situation | None
    """What becomes of the document by it; None if nothing changes."""
    text: str | None = None
    """The correction or the reason, if the file has it."""
    is_full: bool = True


PENDING = "pending"
"""The status of a received document about which the company has said nothing."""
CREATED, COMPLETED, MANIFEST_DUE = "created", "completed", "manifestDue"
"""Verbs of events, besides the situations."""
ReceivedFile = ReceivedDocument | ReceivedEvent


class ReceivedParty(Record):
    """A party of a received document."""

    role: str = Field(description="O papel no documento, como `issuer`.", examples=["issuer"])
    tax_id: str | None = Field(description="CNPJ ou CPF; nulo para o exterior.", examples=["11222333000181"])
    name: str | None
    state_registration: str | None
    city: str | None
    state: str | None = Field(description="UF.", examples=["SP"])


class ReceivedDetails(Record):
    """What the document itself says; only known once its whole XML is here."""

    nature: str | None = Field(description="Natureza da operação ou da prestação.")
    parties: list[ReceivedParty]
    items: list[dict[str, Any]] = Field(
        description="NF-e: os itens, com produto, valores e impostos. CT-e: os componentes e as notas"
        " transportadas. NFS-e: o serviço."
    )
    totals: dict[str, Number] = Field(description="Totais, pelos nomes que a emissão usa.")
    additional_information: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaxedAmount:
    """The sum of the lines of a document with the same CFOP, tax and CST."""

    cfop: str
    """Empty for a service."""
    tax: str
    """As `icms`, `icmsSt`, `ipi`, `pis`, `cofins`, `ibs`, `cbs`, `iss`."""
    cst: str
    """CST or CSOSN; empty if the tax has none."""
    items: Decimal
    """The amount of the lines: products less discounts, or services."""
    base: Decimal
    amount: Decimal


class ReturnDraftItem(Body):
    """An item of a received document that goes back, whole or in part."""

    number: Annotated[Integer, Field(ge=1)] = Field(
        description="Número do item na nota recebida (nItem).", examples=[1]
    )
    quantity: Annotated[Quantity, Field(gt=0)] | None = Field(
        default=None,
        description="Quantidade que volta, na unidade da nota; na falta, todo o item.",
        examples=[50],
    )


class ReturnDraftRequest(Body):
    """The goods of a received document that go back."""

    items: Annotated[tuple[ReturnDraftItem, ...], Field(max_length=990)] | None = Field(
        default=None, description="Os itens que voltam; na falta, todos os da nota, inteiros."
    )


class UnreadFile(ValueError):
    """A file whose schema or content is not known; it is kept as it came. The message is Portuguese."""


@dataclass(frozen=True, slots=True)
class ResponseRoute:
    """The API route of statements, below a received document; several kinds may share one."""

    method: Literal["POST", "DELETE"] = "POST"
    path: str = "/manifest"
    operation: str = "manifest"
    """The verb in the name of the operation."""
    summary: str = "Manifesta-se sobre o documento"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseKind:
    """A statement of the company about a received document, registered at the authority (manifestação)."""

    name: str
    """`type` in requests; it becomes the status of the document."""
    code: str
    """The official type of the event."""
    description: str
    """What it says, in Portuguese."""
    action: str
    """The words on its button, as `Confirmar`."""
    explanation: str
    """What it means, in one Portuguese sentence."""
    form: FormLayout
    """The form of its request."""
    request: type[Body]
    issue: Callable[[Any, EventSubject, FilingIssuer], FilingResult]
    registered: Callable[[bytes, bytes], bytes]
    """Joins the signed event and its registration."""
    text_of: Callable[[Mapping[str, Any]], str | None] = lambda request: request.get("justification")
    """Returns the text that the event contains, by the JSON of the request; None if it has none."""
    max_events: int = 1
    within: timedelta | None = None
    """After the authorization of the document."""
    late_codes: frozenset[str] = frozenset()
    """The authority's codes for one that comes too late."""
    final_codes: frozenset[str] = frozenset()
    """The authority's codes after which the same statement is always refused, those of a late one too."""
    surpassed_codes: frozenset[str] = frozenset()
    """Of these, the codes for an acknowledgement of what was concluded already, with another program."""
    denies: bool = False
    """Whether the company says that the operation did not take place as the document says."""
    is_conclusive: bool = True
    """False for one that only acknowledges the document."""
    releases_xml: bool = True
    """Whether the authority gives the whole document after it, if there was only a summary."""
    undoes: str | None = None
    """The name of the kind that it withdraws."""
    route: ResponseRoute = ResponseRoute()
    chosen_by: Callable[[Any], bool] = lambda request: True
    """Returns whether a request wants this kind, for kinds that share a route."""
    constant_fields: Mapping[str, str] = field(default_factory=dict)
    """The fields that are the same in all its requests, as `type`, for kinds that share a route."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receiving:
    """How documents of a type are received. Capabilities that it lacks are None or empty."""

    service: str
    """The name of the sequence; types that one service distributes share it."""
    collection: str
    """`/v1/companies/{companyId}/{collection}`."""
    event_prefix: str
    """The beginning of the names of its events, as in `receivedNfe.created`."""
    read_page: Callable[[bytes], DistributionAnswer]
    """Reads an answer of the service again."""
    read: Callable[[str, bytes, str], ReceivedFile]
    """Reads a file, by the name of its schema, its bytes and the taxpayer's tax id. Raises UnreadFile."""
    imported_schemas: Mapping[str, str] = field(default_factory=dict)
    """The schema of a whole document by the tag of its root, for files that are imported by hand."""
    check_signatures: Callable[[bytes, str], None]
    """Checks the signatures of a document, by its bytes and the issuer's tax id. Raises BadSignature."""
    responds_as: Role = Role.RECIPIENT
    """Only a company with this part in a document can make a statement about it."""
    responses: tuple[ResponseKind, ...] = ()
    """The statements that the company can make about its documents."""
    is_stated_once: bool = False
    """Whether the authority accepts a single statement of the company about a document, of any kind."""
    needs_registration: bool = False
    """Whether the company needs the state registration with which it issues documents of the type."""
    has_corrections: bool = True
    """Whether issuers can correct documents by a letter."""
    summarizes: bool = False
    """Whether the taxpayer first gets a summary, and the document after an acknowledgement."""
    warned_days: int | None = None
    """How many days before the end of the term a warning is sent; None if none is sent."""
    settled_codes: frozenset[str] = frozenset()
    """The authority's codes for a single document that it does not have, or may not give."""
    unknown_nsu_codes: frozenset[str] = frozenset()
    """The authority's codes for a number above all of its sequence, which then began anew."""
    consults_events: bool = False
    """Whether the authority shows whether an event was registered; otherwise it is sent again."""
    finds_by_key: bool = False
    """Whether the service distributes a document by its access key."""
    details: Callable[[bytes], ReceivedDetails]
    """Reads parties, lines and totals from a full file. Raises UnreadFile."""
    amounts: Callable[[bytes], tuple[TaxedAmount, ...]]
    """Reads the sums by CFOP, tax and CST from a full file. Raises UnreadFile."""
    return_draft: Callable[[bytes, Company, ReturnDraftRequest], Mapping[str, Any]] | None = None
    """Returns the body of the document by which the company returns goods of a full file.

    Raises UnreadFile if it can't return them, and Incomplete if the request does not fit the file.
    """

    @property
    def event_verbs(self) -> tuple[str, ...]:
        """The verbs of the events about its documents, as in `receivedNfe.created`."""
        completed = (COMPLETED,) if self.summarizes else ()
        due = (MANIFEST_DUE,) if self.warned_days else ()
        corrected = (Situation.CORRECTED.value,) if self.has_corrections else ()
        return (CREATED, *completed, *corrected, Situation.CANCELED.value, *due)

    @property
    def acknowledgement(self) -> ResponseKind | None:
        """The response that only acknowledges a summary, if there is one."""
        return next((response for response in self.responses if not response.is_conclusive), None)

    @property
    def must_conclude(self) -> bool:
        """Whether companies should answer; where they can only disagree, their silence is usual."""
        confirms = any(kind.is_conclusive and not (kind.denies or kind.undoes) for kind in self.responses)
        return confirms and self.warned_days is not None

    @property
    def unanswered(self) -> tuple[str, ...]:
        """The statuses of documents about which the company has not concluded."""
        acknowledgement = self.acknowledgement
        return (PENDING, acknowledgement.name) if acknowledgement else (PENDING,)

    def respond_by(self, role: Role, authorized_at: datetime | None) -> datetime | None:
        """Returns until when the company may conclude about a document; None if it may not, or always."""
        terms = [response.within for response in self.responses if response.is_conclusive and response.within]
        if role is not self.responds_as or authorized_at is None or not terms:
            return None
        return authorized_at + max(terms)

    def acknowledge_by(self, role: Role, authorized_at: datetime | None) -> datetime | None:
        """Returns until when the company may acknowledge a summary; None if it need not."""
        kind = self.acknowledgement if self.summarizes else None
        if kind is None or kind.within is None or role is not self.responds_as or authorized_at is None:
            return None
        return authorized_at + kind.within

    def response_named(self, name: str) -> ResponseKind:
        """Returns the response with a name; raises LookupError if the type has none."""
        for response in self.responses:
            if response.name == name:
                return response
        raise LookupError(f"{self.service} has no response {name}")

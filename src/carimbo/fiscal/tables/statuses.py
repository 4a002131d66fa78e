"""Status codes of the authorities: the official text, and the meaning for an issuer."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from carimbo.fiscal.tables.table import Table


class Action(StrEnum):
    """The meaning of a status code for the issuer."""

    AUTHORIZED = "authorized"
    AUTHORIZED_LATE = "authorized_late"
    CANCELED = "canceled"
    CANCELED_LATE = "canceled_late"
    """A cancellation after the deadline that was accepted: status of the event and of the document."""
    ALREADY_CANCELED = "already_canceled"
    """The document is canceled."""
    CANCELED_TWICE = "canceled_twice"
    """A second cancellation of the same document."""
    DENIED = "denied"
    """Kept as denied, with its number used up; Ajuste SINIEF 43/23 ended denials, older ones remain."""
    CLOSED = "closed"
    """A manifest whose transport has ended."""
    OPEN_BEFORE = "open_before"
    """An earlier manifest must be closed first."""
    INUTILIZED = "voided"
    ALREADY_INUTILIZED = "already_voided"
    EVENT_REGISTERED = "event_registered"
    EPEC_REGISTERED = "epec_registered"
    """A document that was announced in contingency and must still be sent."""
    EVENT_DUPLICATE = "event_duplicate"
    EVENTS_PROCESSED = "events_processed"
    """The verdict is in the events of the batch."""
    PROCESSED = "processed"
    """The verdict is in the protocol of the document."""
    PROCESSING = "processing"
    DUPLICATE = "duplicate"
    """The authority has a document with this number: a consult shows whose it is."""
    KEY_DIFFERS = "key_differs"
    """The authority has the number of the key in question under another key."""
    NOT_FOUND = "not_found"
    UNDECIDED = "undecided"
    """The outcome of the document is open: a consult decides."""
    IN_OPERATION = "in_operation"
    OUTAGE_SHORT = "outage_short"
    OUTAGE_WITHOUT_FORECAST = "outage_without_forecast"
    CONTINGENCY_CLOSING = "contingency_closing"
    CONTINGENCY_CLOSED = "contingency_closed"
    THROTTLED = "throttled"
    """Too many calls: this taxpayer must pause this service for an hour."""
    FOUND = "found"
    """A query of registers or documents has a result."""
    NOTHING_FOUND = "nothing_found"
    REJECTION = "rejection"
    REJECTION_OF_MESSAGE = "rejection_of_message"
    """Malformed, or sent to the wrong place: an error of the program."""
    REJECTION_OF_CERTIFICATE = "rejection_of_certificate"
    """The company can't issue anything until its certificate is replaced."""
    REJECTION_BY_REGISTER = "rejection_by_register"
    """The registration of a taxpayer must be corrected."""
    REJECTION_BY_DEADLINE = "rejection_by_deadline"


REJECTIONS = frozenset(action for action in Action if action.startswith("rejection"))
"""The actions that refuse the request."""


@dataclass(frozen=True, slots=True)
class AuthorityStatus:
    """A status code with its official text."""

    code: Annotated[str, "[0-9]{3,4}|E[0-9]{4}"]
    action: Action
    text: str


NFE_STATUSES: Table[str, AuthorityStatus] = Table("nfe_statuses", AuthorityStatus, lambda status: status.code)
"""Codes of NF-e and NFC-e."""
CTE_STATUSES: Table[str, AuthorityStatus] = Table("cte_statuses", AuthorityStatus, lambda status: status.code)
"""Codes of CT-e and CT-e OS."""
MDFE_STATUSES: Table[str, AuthorityStatus] = Table(
    "mdfe_statuses", AuthorityStatus, lambda status: status.code
)
"""Codes of MDF-e."""
NFSE_STATUSES: Table[str, AuthorityStatus] = Table(
    "nfse_statuses", AuthorityStatus, lambda status: status.code
)
"""Codes of NFS-e: errors, which begin with an E, and the `cStat` of issued documents."""

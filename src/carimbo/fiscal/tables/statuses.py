"""What authorities answer, code by code: the official text, and what it means for an issuer."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from carimbo.fiscal.tables.table import Table


class Action(StrEnum):
    """What a code means for the issuer."""

    AUTHORIZED = "authorized"
    AUTHORIZED_LATE = "authorized_late"
    CANCELED = "canceled"
    CANCELED_LATE = "canceled_late"
    """A cancellation accepted after its deadline: the registration of the event, and the document's state."""
    ALREADY_CANCELED = "already_canceled"
    """The document of the request is canceled."""
    CANCELED_TWICE = "canceled_twice"
    """A second cancellation of the same document."""
    DENIED = "denied"
    """Kept as denied, its number spent; Ajuste SINIEF 43/23 ended denials, older ones stay."""
    CLOSED = "closed"
    """A manifest whose transport has ended."""
    OPEN_BEFORE = "open_before"
    """An earlier manifest must be closed first."""
    VOIDED = "voided"
    ALREADY_VOIDED = "already_voided"
    EVENT_REGISTERED = "event_registered"
    EPEC_REGISTERED = "epec_registered"
    """A document announced in contingency, which is still to be sent."""
    EVENT_DUPLICATE = "event_duplicate"
    EVENTS_PROCESSED = "events_processed"
    """The verdict is in the events of the lot."""
    PROCESSED = "processed"
    """The verdict is in the protocol of the document."""
    PROCESSING = "processing"
    DUPLICATE = "duplicate"
    """The authority has a document with this number: a consult tells whose."""
    KEY_DIFFERS = "key_differs"
    """Asked about a key, the authority has the number under another one."""
    NOT_FOUND = "not_found"
    UNDECIDED = "undecided"
    """The fate of the document is open: a consult tells."""
    IN_OPERATION = "in_operation"
    OUTAGE_SHORT = "outage_short"
    OUTAGE_WITHOUT_FORECAST = "outage_without_forecast"
    CONTINGENCY_CLOSING = "contingency_closing"
    CONTINGENCY_CLOSED = "contingency_closed"
    THROTTLED = "throttled"
    """Too many calls: an hour's pause for this taxpayer and service."""
    FOUND = "found"
    """A question about registers or documents has an answer."""
    NOTHING_FOUND = "nothing_found"
    REJECTION = "rejection"
    REJECTION_OF_MESSAGE = "rejection_of_message"
    """Malformed, or sent to the wrong place: the fault of the program."""
    REJECTION_OF_CERTIFICATE = "rejection_of_certificate"
    """Nothing of the company will pass until its certificate is replaced."""
    REJECTION_BY_REGISTER = "rejection_by_register"
    """Somebody has to put a taxpayer's registration right."""
    REJECTION_BY_DEADLINE = "rejection_by_deadline"


REJECTIONS = frozenset(action for action in Action if action.startswith("rejection"))
"""The actions that refuse what was sent."""


@dataclass(frozen=True, slots=True)
class Status:
    """A code with its official text."""

    code: Annotated[str, "[0-9]{3,4}|E[0-9]{4}"]
    action: Action
    text: str


NFE_STATUSES: Table[str, Status] = Table("nfe_statuses", Status, lambda status: status.code)
"""Codes of NF-e and NFC-e."""
CTE_STATUSES: Table[str, Status] = Table("cte_statuses", Status, lambda status: status.code)
"""Codes of CT-e and CT-e OS."""
MDFE_STATUSES: Table[str, Status] = Table("mdfe_statuses", Status, lambda status: status.code)
"""Codes of MDF-e."""
NFSE_STATUSES: Table[str, Status] = Table("nfse_statuses", Status, lambda status: status.code)
"""Codes of NFS-e: errors, which begin with an E, and the `cStat` of what was issued."""

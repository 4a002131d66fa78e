"""One attempt to issue a document: its place in the numbering, its moment and its way to the authority."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from zoneinfo import ZoneInfo

from carimbo.fiscal.access_key import AccessKey, is_allowed_numeric_code
from carimbo.fiscal.company import Company
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.tables.states import STATES


class EmissionType(StrEnum):
    """`tpEmis`: who authorizes, before or after the goods leave; it is part of the access key.

    Each type of document is issued with some of them only, which its definition lists.
    """

    NORMAL = "1"
    OFFLINE_MANIFEST = "2"
    """MDF-e that is sent after the journey began."""
    NFF = "3"
    """Issued by the authorities' own application; we read such documents and issue none."""
    EPEC = "4"
    """Announced by an event before it is sent; we read such documents and issue none."""
    FS_DA = "5"
    """Printed on security paper; we read such documents and issue none."""
    SVC_AN = "6"
    SVC_RS = "7"
    SVC_SP = "8"
    OFFLINE = "9"
    """NFC-e that is sent after the sale."""


@dataclass(frozen=True, slots=True)
class Contingency:
    """Since when and why a document does not go the normal way (`dhCont`, `xJust`)."""

    started_at: datetime
    reason: str


class UnusableEmission(ValueError):
    """Parts of an emission that no authority takes together; the message is Portuguese."""


def local_moment(moment: datetime, state: str) -> datetime:
    """A moment as documents of a state tell it: by its clock, in whole seconds."""
    try:
        return moment.astimezone(ZoneInfo(STATES[state].zone)).replace(microsecond=0)
    except OverflowError:
        raise UnusableEmission("A data de emissão está fora do calendário.") from None


@dataclass(frozen=True, slots=True)
class Emission:
    """What a document is issued under; with the company and the model it makes the access key."""

    environment: Environment
    series: int
    number: int
    numeric_code: str
    issued_at: datetime
    """With the offset of the issuer's zone: the key takes its month from here."""
    type: EmissionType = EmissionType.NORMAL
    contingency: Contingency | None = None

    def __post_init__(self) -> None:
        """Refuse a code that gives the key away (rule 897), and a contingency without its reason (557)."""
        if not is_allowed_numeric_code(self.numeric_code, self.number):
            raise UnusableEmission("O código numérico (cNF) é trivial ou repete o número do documento.")
        if (self.contingency is None) != (self.type is EmissionType.NORMAL):
            raise UnusableEmission("A contingência tem data e justificativa, e a emissão normal não tem.")

    def access_key(self, model: str, company: Company) -> AccessKey:
        """Returns the key of the document, which its XML and its later events refer to."""
        return AccessKey.of_issue(
            self.issued_at,
            state_code=STATES.rows[company.address.state].ibge,
            tax_id=company.tax_id,
            model=model,
            series=self.series,
            number=self.number,
            emission_type=self.type,
            numeric_code=self.numeric_code,
        )

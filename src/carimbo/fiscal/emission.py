"""An attempt to issue a document: its number, its moment, and normal or contingency emission."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from zoneinfo import ZoneInfo

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.access_key import AccessKey, is_allowed_numeric_code
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.tables.geography import STATES


class EmissionType(StrEnum):
    """How a document is authorized (`tpEmis`): normally, or in a kind of contingency. Part of the access key.

    The definition of each document type lists those that it is issued with.
    """

    NORMAL = "1"
    OFFLINE_MANIFEST = "2"
    """MDF-e that is sent after the journey has begun."""
    NFF = "3"
    """Issued by the application of the authorities; we only read such documents."""
    EPEC = "4"
    """Announced by an event before it is sent; we only read such documents."""
    FS_DA = "5"
    """Printed on security paper; we only read such documents."""
    SVC_AN = "6"
    SVC_RS = "7"
    SVC_SP = "8"
    OFFLINE = "9"
    """NFC-e that is sent after the sale."""

    @property
    def is_offline(self) -> bool:
        """Whether documents are valid before their authorization. On paper, number and key are final."""
        return self in (EmissionType.OFFLINE_MANIFEST, EmissionType.OFFLINE)


@dataclass(frozen=True, slots=True)
class Contingency:
    """The beginning and the reason of a contingency (`dhCont`, `xJust`)."""

    started_at: datetime
    reason: str


class UnusableEmission(ValueError):
    """The values of an emission contradict each other; the message is Portuguese."""


def local_moment(moment: datetime, state: str) -> datetime:
    """Returns a moment as documents of a state have it: in its time zone, in whole seconds."""
    try:
        return moment.astimezone(ZoneInfo(STATES[state].zone)).replace(microsecond=0)
    except OverflowError:
        raise UnusableEmission("A data de emissão está fora do calendário.") from None


@dataclass(frozen=True, slots=True)
class Emission:
    """The identification of an attempt; with the company and the model it determines the access key."""

    environment: Environment
    series: int
    number: int
    numeric_code: str
    issued_at: datetime
    """With the offset of the issuer's time zone; its month is that of the access key."""
    type: EmissionType = EmissionType.NORMAL
    contingency: Contingency | None = None

    def __post_init__(self) -> None:
        """Refuses a trivial numeric code (rule 897) and a contingency without a reason (rule 557)."""
        if not is_allowed_numeric_code(self.numeric_code, self.number):
            raise UnusableEmission("O código numérico (cNF) é trivial ou repete o número do documento.")
        if (self.contingency is None) != (self.type is EmissionType.NORMAL):
            raise UnusableEmission("A contingência tem data e justificativa, e a emissão normal não tem.")

    def access_key(self, model: str, company: Company) -> AccessKey:
        """Returns the access key of the document for a model and an issuer."""
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

"""The request for a toy, and a company's settings for it."""

from enum import StrEnum

from pydantic import Field

from carimbo.fiscal.body.date_fields import IsoDay
from carimbo.fiscal.body.fields import Body, Email, ExternalId, Flag, Money, Notes, TaxId, Text
from carimbo.fiscal.module_settings import ModuleEnvironment, ModuleSettings


class RecipientBody(Body):
    """The recipient of a document."""

    name: Text
    tax_id: TaxId | None = None
    email: Email | None = None


class Transmit(StrEnum):
    """When a document is sent."""

    NOW = "now"
    LATER = "later"


class ToyRequest(Body):
    """A document to be issued."""

    amount: Money = Field(gt=0)
    recipient: RecipientBody
    notes: Notes | None = None
    external_id: ExternalId | None = None
    issue_date: IsoDay | None = None
    transmit: Transmit = Transmit.NOW


class ToySettings(ModuleSettings):
    """An active switch and an environment, in addition to the numbering."""

    active: Flag = True
    environment: ModuleEnvironment | None = None

    @property
    def switch(self) -> bool | None:
        return self.active

    @property
    def own_environment(self) -> ModuleEnvironment | None:
        """The environment of this module, if it is set."""
        return self.environment

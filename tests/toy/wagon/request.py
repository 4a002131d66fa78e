"""The request for a wagon bill."""

from pydantic import Field

from carimbo.fiscal.body.fields import Body, ExternalId, Integer, Money, Notes, Text
from carimbo.fiscal.module_settings import ModuleSettings


class WagonRequest(Body):
    """A wagon with its receiver."""

    receiver: Text
    amount: Money = Field(gt=0)
    axles: Integer
    notes: Notes | None = None
    external_id: ExternalId | None = None


class WagonSettings(ModuleSettings):
    """The numbering, which every type has."""

"""The body of a request for an NFC-e."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.document_type import Number, Series
from carimbo.fiscal.fields import Body, Moment, Text
from carimbo.fiscal.goods.payments import Method
from carimbo.fiscal.goods.sale import SaleBody

# The authorities take messages of 500 kB at most (rule 214).
SignedXml = Annotated[str, StringConstraints(max_length=500_000)]


class IssueMode(StrEnum):
    """Who issued: the service now, or the point of sale already, while it was offline."""

    NORMAL = "normal"
    OFFLINE_CONTINGENCY = "offlineContingency"


class Transmit(StrEnum):
    """When the receipt is sent to the authority."""

    NOW = "now"
    LATER = "later"


class ContingencyBody(Body):
    """Since when and why the point of sale was offline."""

    started_at: Moment
    reason: Annotated[Text, StringConstraints(min_length=15, max_length=256)]


class NfceRequest(SaleBody):
    """An NFC-e to be issued, or one that the point of sale issued offline and now hands over."""

    payment_method: Method
    issue_mode: IssueMode = IssueMode.NORMAL
    transmit: Transmit = Transmit.NOW
    access_key: Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z ]{44,60}$")] | None = None
    number: Number | None = None
    series: Series | None = None
    issued_at: Moment | None = None
    contingency: ContingencyBody | None = None
    signed_xml: SignedXml | None = Field(default=None, description="XML já assinado pelo ponto de venda.")

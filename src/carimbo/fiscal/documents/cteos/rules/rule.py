"""The input of the rules of CT-e OS."""

from datetime import datetime

from carimbo.fiscal import rules
from carimbo.fiscal.documents.cteos.document import MODEL, NAME
from carimbo.fiscal.documents.cteos.request import CteOsRequest, OsServiceType
from carimbo.fiscal.layouts.cteos_v4.waybill import OsWaybill
from carimbo.fiscal.parties.recipient import Contribution
from carimbo.fiscal.transport.request import TransportMode
from carimbo.fiscal.transport.rules.rule import TransportRuleInput

_TAKER = "takerParty"


class OsInput(TransportRuleInput[OsWaybill, CteOsRequest]):
    """A CT-e OS with its request and time, as rules read it."""

    document_type = NAME
    model = MODEL

    def __init__(self, waybill: OsWaybill, request: CteOsRequest, now: datetime) -> None:
        parties = {_TAKER: waybill.taker} if waybill.taker else {}
        super().__init__(waybill, request, now, parties, _TAKER)

    @property
    def carries_passengers(self) -> bool:
        """Whether persons are carried."""
        return self.request.service_type is OsServiceType.PASSENGERS

    @property
    def carries_valuables(self) -> bool:
        """Whether valuables are carried."""
        return self.request.service_type is OsServiceType.VALUABLES

    @property
    def is_by_road(self) -> bool:
        """Whether the mode is the road."""
        return self.request.modal.kind is TransportMode.ROAD

    @property
    def carries_passengers_by_road(self) -> bool:
        """Whether persons are carried by road, in a document that has a service of its own."""
        return self.carries_passengers and self.is_by_road and not self.is_complement

    @property
    def has_places(self) -> bool:
        """Whether start and end are given and known; without them the service is one within the state."""
        request = self.request
        is_given = bool(request.municipality_start_ibge and request.municipality_end_ibge)
        return is_given and "" not in (self.start_state, self.end_state)

    @property
    def has_interstate_rate(self) -> bool:
        """Whether the interstate rate holds: not for passengers of a taker that pays no ICMS."""
        is_internal = (
            self.carries_passengers and self.identification.taker_contribution == Contribution.NONE.code
        )
        return super().has_interstate_rate and not is_internal


OsCheck = rules.DocumentCheck[OsInput]

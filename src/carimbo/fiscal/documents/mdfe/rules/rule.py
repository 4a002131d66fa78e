"""The input of the rules of MDF-e, and facts that many rules use."""

from collections.abc import Iterator
from datetime import date, datetime
from functools import cached_property
from typing import Final

from carimbo.fiscal import rules
from carimbo.fiscal.calendar import RulesInForce, rules_on
from carimbo.fiscal.documents.mdfe.document import NAME
from carimbo.fiscal.documents.mdfe.request import IssuerType, MdfeRequest
from carimbo.fiscal.documents.mdfe.road import owner_of_vehicle
from carimbo.fiscal.layouts.mdfe_v3.manifest import Manifest
from carimbo.fiscal.layouts.mdfe_v3.road import ManifestRoad, RoadCarrier
from carimbo.fiscal.transport.places import ABROAD, is_interstate

WAYBILL_LIST, INVOICE_LIST, MANIFEST_LIST = "cteAccessKeys", "nfeAccessKeys", "mdfeAccessKeys"
"""The lists of keys of a municipality."""
_NO_CARRIER = RoadCarrier()


class ManifestInput:
    """A manifest with its request and time, as rules read it."""

    def __init__(self, manifest: Manifest, request: MdfeRequest, now: datetime) -> None:
        content = manifest.mode.content
        self.manifest: Final = manifest
        self.request: Final = request
        self.now: Final = now
        self.identification: Final = manifest.identification
        self.issuer: Final = manifest.issuer
        self.start_state: Final = manifest.identification.start_state
        """Letters of the state, `EX` abroad; empty if the municipality is unknown."""
        self.end_state: Final = manifest.identification.end_state
        self.issuer_type: Final = request.effective_issuer_type
        self.road: Final = content if isinstance(content, ManifestRoad) else None
        """The data of the road; None in other modes."""
        self.carrier: Final = (self.road.carrier if self.road else None) or _NO_CARRIER
        owner, issuer = owner_of_vehicle(request), manifest.issuer
        is_own = owner is not None and owner.tax_id in (issuer.cnpj, issuer.cpf)
        self.owner: Final = None if is_own else owner
        """The owner of the vehicle that drives; None for the issuer, which another rule refuses (740)."""

    @property
    def is_of_carrier(self) -> bool:
        """Whether the issuer is a carrier, also a globalized one."""
        return self.issuer_type is not IssuerType.OWN_CARGO

    @cached_property
    def carries_for_others(self) -> bool:
        """Whether the rules of hired transport hold: for carriers, and for own cargo on a hired vehicle."""
        return self.road is not None and (self.is_of_carrier or self.owner is not None)

    @property
    def leaves_the_state(self) -> bool:
        """Whether start and end are in different states, or abroad; unknown places are not."""
        states = (self.start_state, self.end_state)
        return is_interstate(*states) or ABROAD in states

    @cached_property
    def has_single_document(self) -> bool:
        """Whether the manifest has a single document."""
        return sum(len(city.keys) for city in self.request.documents) == 1

    @cached_property
    def today(self) -> date:
        """The current day in the time zone of the issuer."""
        return self.now.astimezone(self.identification.issued_at.tzinfo).date()

    @cached_property
    def rules_in_force(self) -> RulesInForce:
        """The dated rules of the day of issue."""
        return rules_on(self.identification.issued_at.date(), NAME)

    @cached_property
    def waybill_keys(self) -> list[tuple[str, str]]:
        """The keys of all CT-e, with their paths in the body."""
        return list(self._placed_keys(WAYBILL_LIST))

    @cached_property
    def invoice_keys(self) -> list[tuple[str, str]]:
        """The keys of all NF-e, with their paths in the body."""
        return list(self._placed_keys(INVOICE_LIST))

    @cached_property
    def manifest_keys(self) -> list[tuple[str, str]]:
        """The keys of all MDF-e, with their paths in the body."""
        return list(self._placed_keys(MANIFEST_LIST))

    def _placed_keys(self, name: str) -> Iterator[tuple[str, str]]:
        for position, city in enumerate(self.request.documents):
            lists = {
                WAYBILL_LIST: city.cte_access_keys,
                INVOICE_LIST: city.nfe_access_keys,
                MANIFEST_LIST: city.mdfe_access_keys,
            }
            for place, key in enumerate(lists[name]):
                yield f"documents[{position}].{name}[{place}]", key


ManifestCheck = rules.DocumentCheck[ManifestInput]


def manual(subject: str) -> str:
    """Returns the source of a rule of the manual; its tables number rules differently in each version."""
    return f"MOC MDF-e 3.00, Anexo I, {subject}"

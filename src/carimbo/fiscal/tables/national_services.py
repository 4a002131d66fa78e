"""The national list of services (`cTribNac`): the items of LC 116/2003, split where the tax needs it."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from carimbo.fiscal.tables.table import Derived, Table


class Incidence(StrEnum):
    """Whose municipality the ISS of a service belongs to (LC 116/2003, art. 3)."""

    PROVIDER = "provider"
    PLACE = "place"
    TAKER = "taker"


class ServiceGroup(StrEnum):
    """A part of the declaration that a service demands."""

    CONSTRUCTION = "construction"
    EVENT = "event"


@dataclass(frozen=True, slots=True)
class NationalService:
    """A service: item, subitem and national split, two digits each."""

    code: Annotated[str, "[0-9]{6}"]
    item: Annotated[str, r"[0-9]{2}\.[0-9]{2}"]
    """Item and subitem of LC 116/2003; from 99 on, operations without ISS."""
    incidence: Incidence | None
    """None where there is no ISS, or where the list leaves it open."""
    required_group: ServiceGroup | None
    description: str

    @property
    def dotted(self) -> str:
        """The code as people write it: `01.05.01`."""
        return f"{self.code[:2]}.{self.code[2:4]}.{self.code[4:]}"


NATIONAL_SERVICES: Table[str, NationalService] = Table(
    "national_services", NationalService, lambda service: service.code
)


def services_of_item(item: str) -> tuple[NationalService, ...]:
    """Find the services that an item such as `01.05` is split into, in their order."""
    return tuple(_BY_ITEM.value.get(item, ()))


def _by_item() -> Mapping[str, list[NationalService]]:
    found: defaultdict[str, list[NationalService]] = defaultdict(list)
    for service in NATIONAL_SERVICES.rows.values():
        found[service.item].append(service)
    return dict(found)


_BY_ITEM = Derived(_by_item)

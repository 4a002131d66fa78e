"""Codes of services: national list (`cTribNac`), NBS, indicators of IBS and CBS, and activities (CNAE)."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from carimbo.fiscal.tables.table import Derived, Table


class Incidence(StrEnum):
    """The municipality that the ISS of a service belongs to (LC 116/2003, art. 3)."""

    PROVIDER = "provider"
    PLACE = "place"
    TAKER = "taker"


class ServiceGroup(StrEnum):
    """A group of the declaration that a service requires."""

    CONSTRUCTION = "construction"
    EVENT = "event"


@dataclass(frozen=True, slots=True)
class NationalService:
    """A service of the national list: item, subitem and national split, two digits each."""

    code: Annotated[str, "[0-9]{6}"]
    item: Annotated[str, r"[0-9]{2}\.[0-9]{2}"]
    """Item and subitem of LC 116/2003; from 99 on, operations without ISS."""
    incidence: Incidence | None
    """None if there is no ISS, or if the list leaves it open."""
    required_group: ServiceGroup | None
    description: str

    @property
    def dotted(self) -> str:
        """The code with dots: `01.05.01`."""
        return f"{self.code[:2]}.{self.code[2:4]}.{self.code[4:]}"


NATIONAL_SERVICES: Table[str, NationalService] = Table(
    "national_services", NationalService, lambda service: service.code
)


def services_of_item(item: str) -> tuple[NationalService, ...]:
    """Returns the services of an item such as `01.05`, in their order."""
    return tuple(_SERVICES_BY_ITEM.value.get(item, ()))


def _services_by_item() -> Mapping[str, list[NationalService]]:
    services: defaultdict[str, list[NationalService]] = defaultdict(list)
    for service in NATIONAL_SERVICES.rows.values():
        services[service.item].append(service)
    return dict(services)


_SERVICES_BY_ITEM = Derived(_services_by_item)


@dataclass(frozen=True, slots=True)
class ServiceIndicator:
    """A valid combination of service, place of operation and tax class (Anexo VIII of the NFS-e)."""

    item: Annotated[str, r"[0-9]{2}\.[0-9]{2}(\.[0-9]{2})?"]
    """Item of LC 116/2003; the whole national code in group 99, where codes of an item differ."""
    nbs: Annotated[str, "[0-9]{9}"] | None
    """None if the annex leaves the cell empty."""
    indicator: Annotated[str, "[0-9]{6}"]
    tax_class: Annotated[str, "[0-9]{6}"]


SERVICE_INDICATORS: Table[tuple[str, ...], ServiceIndicator] = Table(
    "service_indicators",
    ServiceIndicator,
    lambda row: (row.item, row.nbs or "", row.indicator, row.tax_class),
)


def indicators_of_service(service: NationalService) -> tuple[ServiceIndicator, ...]:
    """Returns the rows of a service in the order of the annex; empty if the annex lacks it."""
    by_item = _INDICATORS_BY_ITEM.value
    return tuple(by_item.get(service.dotted, by_item.get(service.item, [])))


def _indicators_by_item() -> Mapping[str, list[ServiceIndicator]]:
    rows: defaultdict[str, list[ServiceIndicator]] = defaultdict(list)
    for row in SERVICE_INDICATORS.rows.values():
        rows[row.item].append(row)
    return dict(rows)


_INDICATORS_BY_ITEM = Derived(_indicators_by_item)


@dataclass(frozen=True, slots=True)
class OperationIndicator:
    """An indicator (`cIndOp`): a kind of operation, and where IBS and CBS are due (LC 214/2025, art. 11)."""

    code: Annotated[str, "[0-9]{6}"]
    operation: str
    place: str


OPERATION_INDICATORS: Table[str, OperationIndicator] = Table(
    "operation_indicators", OperationIndicator, lambda indicator: indicator.code
)


def is_of_property(code: str) -> bool:
    """Returns whether an indicator refers to the place of a property (LC 214/2025, art. 11, II)."""
    return code.startswith("02")


@dataclass(frozen=True, slots=True)
class Nbs:
    """A code of the nomenclature of services (NBS 2.0), nine digits."""

    code: Annotated[str, "[0-9]{9}"]
    description: str


NBS: Table[str, Nbs] = Table("nbs", Nbs, lambda nbs: nbs.code)


@dataclass(frozen=True, slots=True)
class Cnae:
    """An economic activity: a CNAE subclass of seven digits."""

    code: Annotated[str, "[0-9]{7}"]
    description: str


CNAES: Table[str, Cnae] = Table("cnae", Cnae, lambda cnae: cnae.code)

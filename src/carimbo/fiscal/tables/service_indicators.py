"""The correlation of services with indicators and classes of IBS and CBS (Anexo VIII of the NFS-e)."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from carimbo.fiscal.tables.national_services import NationalService
from carimbo.fiscal.tables.table import Derived, Table


@dataclass(frozen=True, slots=True)
class ServiceIndicator:
    """A combination that the annex has: a service, where its operation takes place, and how it is taxed."""

    item: Annotated[str, r"[0-9]{2}\.[0-9]{2}(\.[0-9]{2})?"]
    """Item of LC 116/2003; the whole national code in group 99, whose codes differ within one item."""
    nbs: Annotated[str, "[0-9]{9}"] | None
    """None where the annex leaves the cell empty."""
    indicator: Annotated[str, "[0-9]{6}"]
    tax_class: Annotated[str, "[0-9]{6}"]


SERVICE_INDICATORS: Table[tuple[str, ...], ServiceIndicator] = Table(
    "service_indicators",
    ServiceIndicator,
    lambda row: (row.item, row.nbs or "", row.indicator, row.tax_class),
)


def indicators_of_service(service: NationalService) -> tuple[ServiceIndicator, ...]:
    """Returns the rows of a service in the annex's order; none where the annex does not have it."""
    by_item = _BY_ITEM.value
    return tuple(by_item.get(service.dotted, by_item.get(service.item, [])))


def _by_item() -> Mapping[str, list[ServiceIndicator]]:
    rows: defaultdict[str, list[ServiceIndicator]] = defaultdict(list)
    for row in SERVICE_INDICATORS.rows.values():
        rows[row.item].append(row)
    return dict(rows)


_BY_ITEM = Derived(_by_item)

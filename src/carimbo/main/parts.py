"""What both programs are made of."""

import gc
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

from prometheus_client import (
    REGISTRY,
    CollectorRegistry,
    Gauge,
    disable_created_metrics,
    start_http_server,
)

from carimbo import __version__
from carimbo.fiscal.local_time import brasilia_day
from carimbo.fiscal.missing_rates import reported_missing_rates
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.fiscal.schemas import Schemas
from carimbo.fiscal.tables.ibs_cbs import ReformTax
from carimbo.main.clock import clock_of
from carimbo.main.listening import AddressUnusable
from carimbo.main.tables import use_tables
from carimbo.service.contexts import IssuingContext
from carimbo.service.filing.desk import Desk
from carimbo.service.workshop import Workshop
from carimbo.settings import Settings

# A request makes thousands of objects and no cycles to speak of.
_OBJECTS_BETWEEN_COLLECTIONS = 10_000
BUILD_INFO = Gauge("carimbo_build_info", "1, with the version that runs.", ["version"])
RATE_MISSING = Gauge(
    "carimbo_tax_rate_missing",
    "1 while the rate of a tax is unknown for the period that has begun or begins within 60 days, by the "
    "tables of this process; 0 otherwise, and before the day from which missing rates are reported.",
    ["tax"],
)


def workshop_of(settings: Settings) -> Workshop:
    """Put together what documents are made with; a file that can't be used is told before work begins."""
    use_tables(settings)
    show_missing_rates(clock_of(settings))
    schemas = Schemas(settings.schemas_folder)
    for schema in {kind.issuing.schema for kind in DOCUMENT_TYPES}:
        schemas.compiled(schema)
    return Workshop(schemas, settings.software, clock_of(settings), clock_offset=settings.clock_offset)


def show_missing_rates(clock: Callable[[], datetime]) -> None:
    """Shows which rates are missing, worked out anew for each scrape: tables and days change.

    To be called when the tables are in force: metrics are scraped in a thread of their own.
    """
    for tax in ReformTax:
        RATE_MISSING.labels(tax=tax.value).set_function(partial(_is_missing, tax, clock))


def _is_missing(tax: ReformTax, clock: Callable[[], datetime]) -> float:
    return float(any(missing.tax is tax for missing in reported_missing_rates(brasilia_day(clock()))))


def desk_of(settings: Settings, counter: IssuingContext) -> Desk:
    """Build what tells authorities something about documents and numbers."""
    return Desk(counter, timedelta(seconds=settings.event_wait_seconds))


def settle_in() -> None:
    """Spare the garbage collector what stays for good, which is nearly all: modules, models and tables.

    It does not collect before: that takes 0.2 s, and frees ten of a quarter of a million objects.
    """
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)


def start_metrics(host: str, port: int, own: CollectorRegistry) -> None:
    """Serve metrics on a port of their own, so that the public address never shows them.

    Besides those of one program alone, there are those that every program has.
    """
    if not port:
        return
    # A second sample for each counter, which nobody asks for.
    disable_created_metrics()  # type: ignore[no-untyped-call]
    BUILD_INFO.labels(version=__version__).set(1)
    shown = CollectorRegistry()
    for registry in (REGISTRY, own):
        shown.register(registry)
    try:
        start_http_server(port, addr=host, registry=shown)
    except OSError as error:
        raise AddressUnusable(f"{host}:{port} das métricas ({error.strerror}); 0 as desliga") from error

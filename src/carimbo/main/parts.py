"""Parts that the API and the worker share."""

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
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.fiscal.schemas import Schemas
from carimbo.fiscal.tables.ibs_cbs import ReformTax
from carimbo.fiscal.taxes.missing_rates import reported_missing_rates
from carimbo.main.process import AddressUnusable, clock_of
from carimbo.main.tables import use_tables
from carimbo.service.contexts import IssuingContext
from carimbo.service.documents.builder import DocumentBuilder
from carimbo.service.filing.context import FilingContext
from carimbo.settings import Settings

# A request creates thousands of objects, but hardly any reference cycles.
_OBJECTS_BETWEEN_COLLECTIONS = 10_000
BUILD_INFO = Gauge("carimbo_build_info", "Always 1; the label has the running version.", ["version"])
RATE_MISSING = Gauge(
    "carimbo_tax_rate_missing",
    "1 while the tables of this process lack the rate of a tax for the current period or for one that begins "
    "within 60 days; 0 otherwise, and before the day from which missing rates are reported.",
    ["tax"],
)


def document_builder(settings: Settings) -> DocumentBuilder:
    """Builds the document builder; unusable tables and schemas raise their errors here."""
    use_tables(settings)
    show_missing_rates(clock_of(settings))
    schemas = Schemas(settings.schemas_folder)
    for schema in {document_type.issuing.schema for document_type in DOCUMENT_TYPES}:
        schemas.compiled(schema)
    return DocumentBuilder(schemas, settings.software, clock_of(settings), clock_offset=settings.clock_offset)


def show_missing_rates(clock: Callable[[], datetime]) -> None:
    """Exports which rates are missing, computed at each scrape because tables and days change.

    Call it after the tables are loaded: metrics are scraped in another thread.
    """
    for tax in ReformTax:
        RATE_MISSING.labels(tax=tax.value).set_function(partial(_is_missing, tax, clock))


def _is_missing(tax: ReformTax, clock: Callable[[], datetime]) -> float:
    return float(any(missing.tax is tax for missing in reported_missing_rates(brasilia_day(clock()))))


def filing_context(settings: Settings, context: IssuingContext) -> FilingContext:
    """Builds the context for filing events and inutilizations."""
    return FilingContext(context, timedelta(seconds=settings.event_wait_seconds))


def tune_garbage_collector() -> None:
    """Excludes modules, models and tables from garbage collection, because they stay until the end.

    It does not collect first: that takes 0.2 s, and frees ten of 250,000 objects.
    """
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)


def start_metrics(host: str, port: int, own: CollectorRegistry) -> None:
    """Serves metrics on a separate port, so that the public address never shows them.

    It serves the metrics of this program, and those that every program has.
    """
    if not port:
        return
    # Without this, each counter has a second, useless sample.
    disable_created_metrics()  # type: ignore[no-untyped-call]
    BUILD_INFO.labels(version=__version__).set(1)
    exported = CollectorRegistry()
    for registry in (REGISTRY, own):
        exported.register(registry)
    try:
        start_http_server(port, addr=host, registry=exported)
    except OSError as error:
        raise AddressUnusable(f"{host}:{port} das métricas ({error.strerror}); 0 as desliga") from error

"""The documents of the cargo, in tables by municipality of unloading."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from carimbo.fiscal.layouts.mdfe_v3.documents import (
    CarriedDangerousGoods,
    CarriedManifest,
    ManifestedInvoice,
    ManifestedWaybill,
    UnloadingCity,
)
from carimbo.fiscal.layouts.mdfe_v3.events import DocumentInclusion
from carimbo.fiscal.layouts.mdfe_v3.manifest import Manifest
from carimbo.printing import formats
from carimbo.printing.damdfe.header import NAME
from carimbo.printing.damdfe.registered import inclusion_mark
from carimbo.printing.engine.canvas import Canvas
from carimbo.printing.entry_table import EntryTable, TableRows
from carimbo.printing.key_table import KEYED, key_table, keyed_entry
from carimbo.printing.unit_texts import transport_unit_texts

_CTE, _NFE = "CT-e", "NF-e"
_EMPTY = "Nenhum documento informado na emissão."


class _Inclusion(NamedTuple):
    """NF-e that an event added in a municipality."""

    city: str
    mark: str
    keys: list[str]


def composition_tables(
    canvas: Canvas, manifest: Manifest, added: Sequence[tuple[DocumentInclusion, date]]
) -> Iterator[EntryTable]:
    """Yields a table for each municipality, each followed by those of documents that events added there."""
    state = manifest.identification.end_state
    inclusions = _by_city(added)
    for city in manifest.documents.cities:
        included = inclusions.pop(city.city_code, [])
        if city.waybills or city.invoices or city.manifests or not included:
            yield _city_table(canvas, city, state)
        yield from _added_tables(canvas, state, included)
    for others in inclusions.values():
        yield from _added_tables(canvas, state, others)


def _by_city(added: Sequence[tuple[DocumentInclusion, date]]) -> dict[str, list[_Inclusion]]:
    """Returns what events added, by the code of the municipality."""
    cities: dict[str, list[_Inclusion]] = {}
    for event, on in added:
        mark = f"carregamento em {event.loading_city} {inclusion_mark(on)}"
        names = {invoice.city_code: invoice.city for invoice in event.invoices}
        for code, city in names.items():
            keys = [invoice.access_key for invoice in event.invoices if invoice.city_code == code]
            cities.setdefault(code, []).append(_Inclusion(city, mark, keys))
    return cities


def _added_tables(canvas: Canvas, state: str, inclusions: Sequence[_Inclusion]) -> Iterator[EntryTable]:
    for city, mark, keys in inclusions:
        caption = f"{_caption(city, state)}: {len(keys)} {_NFE}, {mark}"
        yield key_table(canvas, caption, _NFE, keys)


def _city_table(canvas: Canvas, city: UnloadingCity, state: str) -> EntryTable:
    rows = TableRows(canvas, KEYED)
    rows.add_entries(keyed_entry(_CTE, item.access_key, *_waybill_details(item)) for item in city.waybills)
    rows.add_entries(keyed_entry(_NFE, item.access_key, *_details(item)) for item in city.invoices)
    rows.add_entries(keyed_entry(NAME, item.access_key, *_details(item)) for item in city.manifests)
    counts = (_CTE, len(city.waybills)), (_NFE, len(city.invoices)), (NAME, len(city.manifests))
    counted = ", ".join(f"{count} {name}" for name, count in counts if count)
    if not counted:
        rows.add_text(_EMPTY)
    return rows.table(": ".join(filter(None, (_caption(city.city, state), counted))))


def _caption(city: str, state: str) -> str:
    return f"COMPOSIÇÃO DA CARGA - DESCARGA EM {city} - {state}"


def _waybill_details(waybill: ManifestedWaybill) -> Iterator[str]:
    yield from _details(waybill)
    if delivery := waybill.partial_delivery:
        delivered = formats.number(delivery.delivered_quantity, 0, 4)
        yield f"Entrega parcial: {delivered} de {formats.number(delivery.total_quantity, 0, 4)}"
    if waybill.is_partial_service or waybill.partial_invoices:
        keys = "; ".join(formats.key(invoice.access_key) for invoice in waybill.partial_invoices)
        yield ": ".join(filter(None, ("Prestação parcial", keys and f"NF-e {keys}")))


def _details(document: ManifestedWaybill | ManifestedInvoice | CarriedManifest) -> Iterator[str]:
    """Yields what a document has beyond its columns."""
    if document.is_redelivery:
        yield "Reentrega"
    if not isinstance(document, CarriedManifest) and document.second_barcode:
        yield f"Segundo código de barras: {formats.key(document.second_barcode)}"
    yield from transport_unit_texts(document.transport_units)
    yield from map(_dangerous_goods, document.dangerous_goods)


def _dangerous_goods(goods: CarriedDangerousGoods) -> str:
    parts = (
        f"ONU {goods.un_number}",
        goods.shipping_name,
        goods.risk_class and f"classe {goods.risk_class}",
        goods.packing_group and f"grupo de embalagem {goods.packing_group}",
        f"quantidade {goods.quantity}",
        goods.packages and f"volumes {goods.packages}",
    )
    return f"Produto perigoso: {', '.join(filter(None, parts))}"

"""The blocks of totals, route and predominant product."""

from carimbo.fiscal.layouts.mdfe_v3.cargo import FullLoad, FullLoadPlace, MainProduct
from carimbo.fiscal.layouts.mdfe_v3.identification import ManifestIdentification
from carimbo.fiscal.layouts.mdfe_v3.manifest import Manifest
from carimbo.printing import formats
from carimbo.printing.damdfe.header import MODES
from carimbo.printing.engine.canvas import Align, Canvas
from carimbo.printing.sheet import CONTENT, Block, PrintedField, Row, row

_COUNT = 30.0
_AMOUNT = (CONTENT - 3 * _COUNT) / 2
_UNITS = {"01": "KG", "02": "TON"}
_CARGO_TYPES = {
    "01": "GRANEL SÓLIDO",
    "02": "GRANEL LÍQUIDO",
    "03": "FRIGORIFICADA",
    "04": "CONTEINERIZADA",
    "05": "CARGA GERAL",
    "06": "NEOGRANEL",
    "07": "PERIGOSA (GRANEL SÓLIDO)",
    "08": "PERIGOSA (GRANEL LÍQUIDO)",
    "09": "PERIGOSA (CARGA FRIGORIFICADA)",
    "10": "PERIGOSA (CONTEINERIZADA)",
    "11": "PERIGOSA (CARGA GERAL)",
    "12": "GRANEL PRESSURIZADO",
}


def totals_block(canvas: Canvas, manifest: Manifest, added_invoices: int) -> Block:
    """Returns the quantities; NF-e that events added are counted, and a row below says so."""
    totals, mode = manifest.totals, manifest.identification.mode
    invoices = (totals.invoices or 0) + added_invoices
    fields = (
        PrintedField("QTD. CT-e", formats.whole(totals.waybills), _COUNT, Align.CENTER),
        PrintedField("QTD. NF-e", formats.whole(invoices or totals.invoices), _COUNT, Align.CENTER),
        PrintedField("QTD. MDF-e", formats.whole(totals.manifests), _COUNT, Align.CENTER),
        PrintedField(
            f"PESO TOTAL ({_UNITS.get(totals.unit, totals.unit)})",
            formats.number(totals.quantity, 3, 4),
            _AMOUNT,
            Align.RIGHT,
        ),
        PrintedField("VALOR TOTAL DA CARGA (R$)", formats.number(totals.amount), _AMOUNT, Align.RIGHT),
    )
    rows = [row(canvas, *fields)]
    if added_invoices:
        note = _inclusion_note(totals.invoices or 0, added_invoices)
        rows.append(row(canvas, PrintedField("", note, CONTENT), size=7))
    return Block(f"MODAL {MODES.get(mode, mode)} DE CARGA", tuple(rows))


def _inclusion_note(issued: int, added: int) -> str:
    """Returns the note about NF-e of events, which name neither the weight nor the amount of their cargo."""
    counted = f"A quantidade de NF-e soma {issued} da emissão e {added} de eventos de inclusão de documentos."
    first = counted if issued else "Todas as NF-e foram incluídas por eventos depois da emissão."
    return f"{first} Peso e valor são os da emissão."


def route_block(canvas: Canvas, about: ManifestIdentification) -> Block:
    """Returns the municipalities of loading, and all states of the way."""
    cities = " / ".join(place.city for place in about.loading_cities)
    states = [about.start_state, *(passed.state for passed in about.route)]
    if about.end_state != states[-1]:
        states.append(about.end_state)
    fields = (
        PrintedField("MUNICÍPIOS DE CARREGAMENTO", f"{cities} - {about.start_state}", 120),
        PrintedField("PERCURSO (UF)", " / ".join(states), CONTENT - 120),
    )
    return Block("PERCURSO", (row(canvas, *fields),))


def product_block(canvas: Canvas, product: MainProduct) -> Block:
    """Returns the predominant product, and the ends of the way of a full load."""
    described = row(
        canvas,
        PrintedField("TIPO DE CARGA", _CARGO_TYPES.get(product.cargo_type, product.cargo_type), 48),
        PrintedField("DESCRIÇÃO", product.description, CONTENT - 102),
        PrintedField("GTIN", product.gtin or "", 32),
        PrintedField("NCM", product.ncm or "", 22),
    )
    ends = (_full_load_row(canvas, product.full_load),) if product.full_load else ()
    return Block("PRODUTO PREDOMINANTE", (described, *ends))


def _full_load_row(canvas: Canvas, load: FullLoad) -> Row:
    return row(
        canvas,
        PrintedField("CARGA LOTAÇÃO - LOCAL DE CARREGAMENTO", _place(load.loading), CONTENT / 2),
        PrintedField("CARGA LOTAÇÃO - LOCAL DE DESCARREGAMENTO", _place(load.unloading), CONTENT / 2),
    )


def _place(place: FullLoadPlace) -> str:
    """Returns the postal code or the coordinates of a place."""
    if place.latitude is None or place.longitude is None:
        return f"CEP {formats.zipcode(place.zipcode)}" if place.zipcode else ""
    return f"Latitude {place.latitude}, longitude {place.longitude}"

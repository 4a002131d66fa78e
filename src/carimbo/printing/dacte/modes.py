"""The block of the mode of transport on a DACTE, and what of the mode is among the observations."""

from collections.abc import Iterator

from carimbo.fiscal.layouts.cte_v4.air import Air, DangerousGoods
from carimbo.fiscal.layouts.cte_v4.complement import (
    DeliveryForecast,
    InInterval,
    InPeriod,
    WithDate,
    WithTime,
)
from carimbo.fiscal.layouts.cte_v4.multimodal import Multimodal
from carimbo.fiscal.layouts.cte_v4.pipeline import Pipeline
from carimbo.fiscal.layouts.cte_v4.rail import Rail, Railway
from carimbo.fiscal.layouts.cte_v4.road import CollectionOrder, Road
from carimbo.fiscal.layouts.cte_v4.water import Container, Water
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from carimbo.printing import formats
from carimbo.printing.engine.canvas import Align, Canvas
from carimbo.printing.sheet import CONTENT, Block, PrintedField, Row, row
from carimbo.printing.transport_words import NAVIGATIONS

Mode = Road | Air | Water | Rail | Pipeline | Multimodal

_LAW = "ESTE CONHECIMENTO DE TRANSPORTE ATENDE À LEGISLAÇÃO DE TRANSPORTE RODOVIÁRIO EM VIGOR"
_ON_DATES = {"1": "EM", "2": "ATÉ", "3": "A PARTIR DE"}
_AT_TIMES = {"1": "ÀS", "2": "ATÉ AS", "3": "A PARTIR DAS"}
_TARIFF_CLASSES = {"M": "MÍNIMA", "G": "GERAL", "E": "ESPECÍFICA"}
_DANGEROUS_UNITS = {"1": "kg", "2": "kg brutos", "3": "litros", "4": "TI", "5": "unidades"}
_DIRECTIONS = {"N": "NORTE", "S": "SUL", "L": "LESTE", "O": "OESTE"}
_TRAFFICS = {"0": "PRÓPRIO", "1": "MÚTUO", "2": "RODOFERROVIÁRIO", "3": "RODOVIÁRIO"}
_RAILWAYS = {"1": "FERROVIA DE ORIGEM", "2": "FERROVIA DE DESTINO"}
_DUCTS = {"1": "GASODUTO", "2": "MINERODUTO", "3": "OLEODUTO"}
_CONTRACTS = {"0": "PONTO A PONTO", "1": "CAPACIDADE DE ENTRADA", "2": "CAPACIDADE DE SAÍDA"}
_NEGOTIABLE = {"0": "NÃO NEGOCIÁVEL", "1": "NEGOCIÁVEL"}


def mode_block(canvas: Canvas, waybill: Waybill) -> Block | None:
    """Returns the data of the mode; None for a complement, which has none."""
    if waybill.service is None:
        return None
    delivery = waybill.complement.delivery if waybill.complement else None
    forecast = PrintedField("PREVISÃO DE ENTREGA", _forecast(delivery) if delivery else "", 56)
    match waybill.service.mode.content:
        case Road() as road:
            name, rows = "MODAL RODOVIÁRIO", _road_rows(canvas, road, forecast)
        case Air() as air:
            name, rows = "MODAL AÉREO", _air_rows(canvas, air, forecast)
        case Water() as water:
            name, rows = "MODAL AQUAVIÁRIO", _water_rows(canvas, water, forecast)
        case Rail() as rail:
            name, rows = "MODAL FERROVIÁRIO", _rail_rows(canvas, rail, forecast)
        case Pipeline() as pipeline:
            name, rows = "MODAL DUTOVIÁRIO", _pipeline_rows(canvas, pipeline, forecast)
        case Multimodal() as multimodal:
            name, rows = "TRANSPORTE MULTIMODAL", _multimodal_rows(canvas, multimodal, forecast)
    return Block(f"DADOS ESPECÍFICOS DO {name}", rows)


def mode_notes(mode: Mode) -> Iterator[str]:
    """Yields the data of a mode that repeat, and therefore have no field of the block."""
    match mode:
        case Road():
            yield from map(_collection_order, mode.collection_orders)
        case Air():
            yield from map(_dangerous_goods, mode.dangerous_goods)
        case Water():
            for container in mode.containers:
                yield from _container(container)
        case Rail() if mode.mutual_traffic:
            yield from map(_railway, mode.mutual_traffic.railways)


def _forecast(delivery: DeliveryForecast) -> str:
    return f"{_date(delivery)}, {_time(delivery)}"


def _date(delivery: DeliveryForecast) -> str:
    match delivery.date:
        case WithDate(mode=mode, day=day):
            return f"{_ON_DATES.get(mode, mode)} {formats.day(day)}"
        case InPeriod(start_date=start, end_date=end):
            return f"DE {formats.day(start)} A {formats.day(end)}"
    return "SEM DATA DEFINIDA"


def _time(delivery: DeliveryForecast) -> str:
    match delivery.time:
        case WithTime(mode=mode, time=time):
            return f"{_AT_TIMES.get(mode, mode)} {time}"
        case InInterval(start_time=start, end_time=end):
            return f"DAS {start} ÀS {end}"
    return "SEM HORA DEFINIDA"


def _road_rows(canvas: Canvas, road: Road, forecast: PrintedField) -> tuple[Row, ...]:
    fields = (
        PrintedField("RNTRC DA EMPRESA", road.rntrc, 26),
        forecast,
        PrintedField("", _LAW, CONTENT - 82, Align.CENTER),
    )
    return (row(canvas, *fields),)


def _air_rows(canvas: Canvas, air: Air, forecast: PrintedField) -> tuple[Row, ...]:
    tariff = air.tariff
    waybill = (
        PrintedField("NÚMERO OPERACIONAL DO CONHECIMENTO AÉREO", air.air_waybill_number or "", 52),
        PrintedField("NÚMERO DA MINUTA", air.waybill_draft_number or "", 34),
        PrintedField("DATA PREVISTA DA ENTREGA", formats.day(air.expected_delivery_date), CONTENT - 142),
        forecast,
    )
    tariff_and_nature = (
        PrintedField("CLASSE DA TARIFA", _TARIFF_CLASSES.get(tariff.tariff_class, tariff.tariff_class), 28),
        PrintedField("CÓDIGO DA TARIFA", tariff.code or "", 24),
        PrintedField("VALOR DA TARIFA", formats.number(tariff.amount), 34, Align.RIGHT),
        PrintedField("DIMENSÃO (CM)", air.nature.dimensions or "", 34),
        PrintedField("INFORMAÇÕES DE MANUSEIO", ", ".join(air.nature.handling_codes), CONTENT - 120),
    )
    return row(canvas, *waybill), row(canvas, *tariff_and_nature)


def _dangerous_goods(goods: DangerousGoods) -> str:
    unit = _DANGEROUS_UNITS.get(goods.total.unit, goods.total.unit)
    quantity = formats.number(goods.total.quantity, 0, 4)
    return f"Artigo perigoso: ONU {goods.un_number}, volumes {goods.packages}, quantidade {quantity} {unit}"


def _water_rows(canvas: Canvas, water: Water, forecast: PrintedField) -> tuple[Row, ...]:
    navigation = water.navigation or ""
    vessel = (
        PrintedField("IDENTIFICAÇÃO DO NAVIO", water.vessel_name, CONTENT - 90),
        PrintedField("IRIN", water.irin, 34),
        forecast,
    )
    trip = (
        PrintedField("NÚMERO DA VIAGEM", water.trip_number or "", 26),
        PrintedField("DIREÇÃO", _DIRECTIONS.get(water.direction, water.direction), 20),
        PrintedField("NAVEGAÇÃO", NAVIGATIONS.get(navigation, navigation), 26),
        PrintedField("BALSAS", ", ".join(ferry.name for ferry in water.ferries), CONTENT - 140),
        PrintedField("BASE DE CÁLCULO DO AFRMM", formats.number(water.afrmm_base), 34, Align.RIGHT),
        PrintedField("VALOR DO AFRMM", formats.number(water.afrmm_amount), 34, Align.RIGHT),
    )
    return row(canvas, *vessel), row(canvas, *trip)


def _container(container: Container) -> Iterator[str]:
    seals = ", ".join(seal.number for seal in container.seals)
    yield "; ".join(filter(None, (f"Contêiner {container.id}", seals and f"lacres {seals}")))
    for nfe in container.documents.nfes if container.documents else ():
        quantity = formats.optional(nfe.apportioned_quantity, 3)
        parts = (f"NF-e {formats.key(nfe.access_key)}", quantity and f"quantidade rateada {quantity}")
        yield "; ".join(filter(None, parts))


def _rail_rows(canvas: Canvas, rail: Rail, forecast: PrintedField) -> tuple[Row, ...]:
    fields = (
        PrintedField("TIPO DE TRÁFEGO", _TRAFFICS.get(rail.traffic, rail.traffic), 60),
        PrintedField("FLUXO FERROVIÁRIO", rail.flow, CONTENT - 116),
        forecast,
    )
    mutual = rail.mutual_traffic
    if mutual is None:
        return (row(canvas, *fields),)
    shared = (
        PrintedField("RESPONSÁVEL PELO FATURAMENTO", _RAILWAYS.get(mutual.billed_by, mutual.billed_by), 40),
        PrintedField("FERROVIA EMITENTE DO CT-e", _RAILWAYS.get(mutual.issued_by, mutual.issued_by), 40),
        PrintedField("FRETE DO TRÁFEGO MÚTUO", formats.number(mutual.freight_amount), 34, Align.RIGHT),
        PrintedField(
            "CT-e DA FERROVIA DE ORIGEM",
            formats.key(mutual.origin_access_key) if mutual.origin_access_key else "",
            CONTENT - 114,
        ),
    )
    return row(canvas, *fields), row(canvas, *shared)


def _railway(railway: Railway) -> str:
    address = railway.address
    parts = (
        railway.name,
        f"CNPJ {formats.tax_id(railway.cnpj)}",
        railway.state_registration and f"IE {railway.state_registration}",
        railway.code and f"código {railway.code}",
        ", ".join(filter(None, (address.street, address.number, address.complement, address.district))),
        f"{address.city} - {address.state}",
        f"CEP {formats.zipcode(address.zipcode)}",
    )
    return f"Ferrovia envolvida: {'; '.join(filter(None, parts))}"


def _pipeline_rows(canvas: Canvas, pipeline: Pipeline, forecast: PrintedField) -> tuple[Row, ...]:
    duct, contract = pipeline.duct_class or "", pipeline.contract_type or ""
    tariff = "" if pipeline.tariff is None else formats.number(pipeline.tariff, 2, 6)
    service = (
        PrintedField("INÍCIO DA PRESTAÇÃO DO SERVIÇO", formats.day(pipeline.start_date), 40),
        PrintedField("FIM DA PRESTAÇÃO DO SERVIÇO", formats.day(pipeline.end_date), 40),
        PrintedField("VALOR DA TARIFA", tariff, CONTENT - 136, Align.RIGHT),
        forecast,
    )
    duct_and_contract = (
        PrintedField("CLASSIFICAÇÃO DO DUTO", _DUCTS.get(duct, duct), 30),
        PrintedField("TIPO DE CONTRATAÇÃO", _CONTRACTS.get(contract, contract), 44),
        PrintedField("PONTO DE ENTRADA", pipeline.entry_point or "", 42),
        PrintedField("PONTO DE SAÍDA", pipeline.exit_point or "", 42),
        PrintedField("CONTRATO DE CAPACIDADE", pipeline.contract_number or "", CONTENT - 158),
    )
    return row(canvas, *service), row(canvas, *duct_and_contract)


def _multimodal_rows(canvas: Canvas, multimodal: Multimodal, forecast: PrintedField) -> tuple[Row, ...]:
    negotiable = multimodal.negotiable
    fields = (
        PrintedField(
            "CERTIFICADO DO OPERADOR DE TRANSPORTE MULTIMODAL (COTM)", multimodal.cotm, CONTENT - 96
        ),
        PrintedField("INDICADOR NEGOCIÁVEL", _NEGOTIABLE.get(negotiable, negotiable), 40),
        forecast,
    )
    insurance = multimodal.insurance
    if insurance is None:
        return (row(canvas, *fields),)
    insured = (
        PrintedField("SEGURADORA", insurance.insurer.name, CONTENT - 126),
        PrintedField("CNPJ DA SEGURADORA", formats.tax_id(insurance.insurer.cnpj), 38),
        PrintedField("NÚMERO DA APÓLICE", insurance.policy_number, 44),
        PrintedField("NÚMERO DA AVERBAÇÃO", insurance.endorsement, 44),
    )
    return row(canvas, *fields), row(canvas, *insured)


def _collection_order(order: CollectionOrder) -> str:
    issuer = order.issuer
    parts = (
        order.series and f"série {order.series}",
        f"nº {order.number} de {formats.day(order.issue_date)}",
        f"CNPJ {formats.tax_id(issuer.cnpj)}",
        f"IE {issuer.state_registration}",
        issuer.state,
        issuer.code and f"código {issuer.code}",
        issuer.phone and f"fone {formats.phone(issuer.phone)}",
    )
    return f"Ordem de coleta: {', '.join(filter(None, parts))}"

"""The tables of the road mode: vehicles, drivers, toll vouchers, transport operations and contractors."""

from collections.abc import Iterator, Sequence
from datetime import date

from carimbo.fiscal.layouts.mdfe_v3.events import DriverInclusion
from carimbo.fiscal.layouts.mdfe_v3.road import (
    Ciot,
    Contractor,
    Driver,
    ManifestRoad,
    RoadCarrier,
    RoadVehicle,
    RoadVehicleOwner,
    TollVoucher,
    TollVouchers,
    Trailer,
)
from carimbo.printing import formats
from carimbo.printing.damdfe.registered import inclusion_mark
from carimbo.printing.engine.canvas import Align, Canvas
from carimbo.printing.entry_table import HALF, EntryColumn, EntryTable, PrintedEntry, TableRows, entry_table
from carimbo.printing.sheet import CONTENT
from carimbo.printing.transport_words import OWNER_TYPES

_VEHICLES = (
    EntryColumn("TIPO", 14),
    EntryColumn("PLACA", 15),
    EntryColumn("UF", 8),
    EntryColumn("RENAVAM", 20),
    EntryColumn("RNTRC", 16),
    EntryColumn("RODADO", 25),
    EntryColumn("CARROCERIA", 27),
    EntryColumn("TARA (KG)", 18, Align.RIGHT),
    EntryColumn("CAPACIDADE (KG)", 20, Align.RIGHT),
    EntryColumn("CAPACIDADE (M3)", 18, Align.RIGHT),
    EntryColumn("CÓDIGO INTERNO", CONTENT - 181),
)
_DRIVERS = EntryColumn("CPF", 24), EntryColumn("NOME", HALF - 24)
_VOUCHERS = (
    EntryColumn("CNPJ DO FORNECEDOR", 22),
    EntryColumn("CNPJ / CPF DO PAGADOR", 22),
    EntryColumn("Nº DO COMPROVANTE", 24),
    EntryColumn("VALOR", 18, Align.RIGHT),
    EntryColumn("TIPO", HALF - 86),
)
_CIOTS = EntryColumn("CIOT", 40), EntryColumn("CNPJ / CPF DO RESPONSÁVEL", HALF - 40)
_CONTRACTORS = (
    EntryColumn("NOME", CONTENT - 108),
    EntryColumn("CNPJ / CPF / ID. ESTRANGEIRO", 38),
    EntryColumn("Nº DO CONTRATO", 38),
    EntryColumn("VALOR GLOBAL", 32, Align.RIGHT),
)
# Who drives what is the first thing that a check on the road compares.
_SIZE = 8.0
_WHEELS = {
    "01": "TRUCK",
    "02": "TOCO",
    "03": "CAVALO MECÂNICO",
    "04": "VAN",
    "05": "UTILITÁRIO",
    "06": "OUTROS",
}
_BODIES = {
    "00": "NÃO APLICÁVEL",
    "01": "ABERTA",
    "02": "FECHADA / BAÚ",
    "03": "GRANELEIRA",
    "04": "PORTA CONTÊINER",
    "05": "SIDER",
}
_VOUCHER_TYPES = {"01": "TAG", "02": "CUPOM", "03": "CARTÃO", "04": "PLACA"}
_AXLES = {
    "02": "2 EIXOS",
    "04": "3 EIXOS",
    "06": "4 EIXOS",
    "07": "5 EIXOS",
    "08": "6 EIXOS",
    "10": "7 EIXOS",
    "11": "8 EIXOS",
    "12": "9 EIXOS",
    "13": "10 EIXOS",
    "14": "MAIS DE 10 EIXOS",
}


def road_tables(
    canvas: Canvas, road: ManifestRoad, added_drivers: Sequence[tuple[DriverInclusion, date]]
) -> Iterator[EntryTable]:
    """Yields the tables from top to bottom; drivers that events added are marked."""
    yield _vehicle_table(canvas, road)
    drivers = (
        *map(_driver, road.vehicle.drivers),
        *(_driver(inclusion.driver, inclusion_mark(on)) for inclusion, on in added_drivers),
    )
    yield entry_table(canvas, "CONDUTORES", _DRIVERS, drivers, _SIZE)
    if road.carrier:
        yield from _carrier_tables(canvas, road.carrier)


def _vehicle_table(canvas: Canvas, road: ManifestRoad) -> EntryTable:
    rntrc = (road.carrier and road.carrier.rntrc) or ""
    rows = TableRows(canvas, _VEHICLES, _SIZE)
    wheels = _WHEELS.get(road.vehicle.wheel_type, road.vehicle.wheel_type)
    rows.add_entries(
        (
            _vehicle("TRAÇÃO", road.vehicle, wheels, rntrc),
            *(_vehicle("REBOQUE", trailer, "", rntrc) for trailer in road.trailers),
        )
    )
    if road.port_scheduling_code:
        rows.add_text(f"Agendamento no porto: {road.port_scheduling_code}")
    return rows.table("VEÍCULOS")


def _vehicle(name: str, vehicle: RoadVehicle | Trailer, wheels: str, rntrc: str) -> PrintedEntry:
    """Returns a vehicle, with the registration of its owner if it is not the issuer's."""
    cells = (
        name,
        vehicle.plate,
        vehicle.state or "",
        vehicle.renavam or "",
        vehicle.owner.rntrc if vehicle.owner else rntrc,
        wheels,
        _BODIES.get(vehicle.body_type, vehicle.body_type),
        formats.whole(vehicle.tare_kg),
        formats.whole(vehicle.capacity_kg),
        formats.whole(vehicle.capacity_m3),
        vehicle.code or "",
    )
    return PrintedEntry(cells, (_owner(vehicle.owner),) if vehicle.owner else ())


def _owner(owner: RoadVehicleOwner) -> str:
    parts = (
        f"Proprietário: {owner.name}",
        f"CNPJ/CPF {formats.tax_id(owner.cnpj, owner.cpf)}",
        owner.state_registration and f"IE {owner.state_registration}",
        owner.state,
        OWNER_TYPES.get(owner.type, owner.type),
    )
    return " - ".join(filter(None, parts))


def _driver(driver: Driver, mark: str = "") -> PrintedEntry:
    return PrintedEntry((formats.tax_id(driver.cpf), " - ".join(filter(None, (driver.name, mark)))))


def _carrier_tables(canvas: Canvas, carrier: RoadCarrier) -> Iterator[EntryTable]:
    if carrier.toll:
        yield _toll_table(canvas, carrier.toll)
    if carrier.ciots:
        yield entry_table(
            canvas, "CIOT - CÓDIGO IDENTIFICADOR DA OPERAÇÃO DE TRANSPORTE", _CIOTS, map(_ciot, carrier.ciots)
        )
    if carrier.contractors:
        yield entry_table(canvas, "CONTRATANTES", _CONTRACTORS, map(_contractor, carrier.contractors))


def _toll_table(canvas: Canvas, toll: TollVouchers) -> EntryTable:
    category = toll.category or ""
    axles = f"VEÍCULO COMERCIAL {_AXLES.get(category, category)}" if category else ""
    caption = " - ".join(filter(None, ("VALE-PEDÁGIO", axles)))
    return entry_table(canvas, caption, _VOUCHERS, map(_voucher, toll.vouchers))


def _voucher(voucher: TollVoucher) -> PrintedEntry:
    kind = voucher.type or ""
    return PrintedEntry(
        (
            formats.tax_id(voucher.supplier_tax_id),
            formats.tax_id(voucher.payer_cnpj, voucher.payer_cpf),
            voucher.purchase_number or "",
            formats.number(voucher.amount),
            _VOUCHER_TYPES.get(kind, kind),
        )
    )


def _ciot(ciot: Ciot) -> PrintedEntry:
    return PrintedEntry((ciot.number or "", formats.tax_id(ciot.cnpj, ciot.cpf)))


def _contractor(contractor: Contractor) -> PrintedEntry:
    contract = contractor.contract
    return PrintedEntry(
        (
            contractor.name or "",
            formats.tax_id(contractor.cnpj, contractor.cpf) or contractor.foreign_id or "",
            contract.number if contract else "",
            formats.number(contract.amount) if contract else "",
        )
    )

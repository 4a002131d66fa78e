"""The mode of a manifest as a group of the layout."""

from carimbo.fiscal.documents.mdfe.modes_body import ManifestAirBody, ManifestRailBody, ManifestWaterBody
from carimbo.fiscal.documents.mdfe.request import MdfeRequest
from carimbo.fiscal.documents.mdfe.road import road_group
from carimbo.fiscal.documents.mdfe.road_body import ManifestRoadBody
from carimbo.fiscal.issuance import Issuance
from carimbo.fiscal.layouts.mdfe_v3 import modes as layout
from carimbo.fiscal.layouts.mdfe_v3.manifest import ManifestModal
from carimbo.fiscal.problems import Findings
from carimbo.fiscal.transport.moments import moment_at


def mode_group(request: MdfeRequest, issuance: Issuance, findings: Findings) -> ManifestModal:
    """Returns the data of the mode; required ones that the request lacks are added to the findings."""
    match request.modal:
        case ManifestRoadBody() as road:
            return ManifestModal(content=road_group(request, road, issuance, findings))
        case ManifestAirBody() as air:
            return ManifestModal(content=_air(air))
        case ManifestWaterBody() as water:
            return ManifestModal(content=_water(water))
        case ManifestRailBody() as rail:
            return ManifestModal(content=_rail(rail, issuance.company.address.state, findings))


def _air(body: ManifestAirBody) -> layout.ManifestAir:
    return layout.ManifestAir(
        nationality=body.nationality,
        registration=body.registration,
        flight_number=body.flight_number,
        boarding_airport=body.boarding_airport,
        destination_airport=body.destination_airport,
        flight_date=body.flight_date,
    )


def _water(body: ManifestWaterBody) -> layout.ManifestWater:
    return layout.ManifestWater(
        irin=body.irin,
        vessel_type=body.vessel_type,
        vessel_code=body.vessel_code,
        vessel_name=body.vessel_name,
        trip_number=body.trip_number,
        boarding_port=body.boarding_port,
        destination_port=body.destination_port,
        transshipment_port=body.transshipment_port,
        navigation=body.navigation.code if body.navigation else None,
        loading_terminals=tuple(
            layout.LoadingTerminal(code=terminal.code, name=terminal.name)
            for terminal in body.loading_terminals
        ),
        unloading_terminals=tuple(
            layout.UnloadingTerminal(code=terminal.code, name=terminal.name)
            for terminal in body.unloading_terminals
        ),
        convoy=tuple(layout.ConvoyVessel(code=vessel.code, name=vessel.name) for vessel in body.convoy),
        empty_cargo_units=tuple(
            layout.EmptyCargoUnit(id=unit.id, type=unit.type.code) for unit in body.empty_cargo_units
        ),
        empty_transport_units=tuple(
            layout.EmptyTransportUnit(id=unit.id, type=unit.type.code) for unit in body.empty_transport_units
        ),
        mmsi=body.mmsi,
    )


def _rail(body: ManifestRailBody, state: str, findings: Findings) -> layout.ManifestRail:
    train = body.train
    return layout.ManifestRail(
        train=layout.Train(
            prefix=train.prefix,
            departed_at=moment_at("modal.train.departedAt", train.departed_at, state, findings),
            origin=train.origin,
            destination=train.destination,
            wagon_count=len(body.wagons),
        ),
        wagons=tuple(
            layout.Wagon(
                base_weight=wagon.base_weight,
                real_weight=wagon.real_weight,
                type=wagon.type,
                series=wagon.series,
                number=wagon.number,
                sequence=wagon.sequence,
                useful_tons=wagon.useful_tons,
            )
            for wagon in body.wagons
        ),
    )

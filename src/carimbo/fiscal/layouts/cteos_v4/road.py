"""The road mode of a CT-e OS (`rodoOS`), which has its own XSD."""

from datetime import datetime

from carimbo.fiscal.layouts.group import child, group, moment, text


@group("prop")
class VehicleOwner:
    """`prop`: the owner of a vehicle that is not the issuer's."""

    cpf: str | None = text("CPF", 11, path="taxId", default=None)
    cnpj: str | None = text("CNPJ", 14, path="taxId", default=None)
    taf: str | None = text("TAF", 12, default=None)
    state_agency_registration: str | None = text("NroRegEstadual", 25, default=None)
    name: str = text("xNome", 60)
    state_registration: str | None = text("IE", 14, default=None)
    state: str | None = text("UF", 2, default=None)
    type: str = text("tpProp", 1)


@group("veic")
class Vehicle:
    """`veic`: the vehicle of the service."""

    plate: str = text("placa", 7)
    renavam: str | None = text("RENAVAM", 11, default=None)
    owner: VehicleOwner | None = child("prop", default=None)
    state: str | None = text("UF", 2, default=None)


@group("infFretamento")
class Charter:
    """`infFretamento`: the kind of charter, and the moment of an occasional trip."""

    type: str = text("tpFretamento", 1)
    trip_at: datetime | None = moment("dhViagem", default=None)


@group("rodoOS")
class OsRoad:
    """`rodoOS`: the registration of the carrier, its vehicle and the charter."""

    taf: str | None = text("TAF", 12, path="/taf", default=None)
    state_agency_registration: str | None = text(
        "NroRegEstadual", 25, path="/stateAgencyRegistration", default=None
    )
    vehicle: Vehicle | None = child("veic", path="/vehicle", default=None)
    charter: Charter | None = child("infFretamento", path="/charter", default=None)

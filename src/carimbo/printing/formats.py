"""Formats values as Brazilians write them: numbers, dates, tax ids, addresses."""

from datetime import date, datetime
from decimal import Decimal

from carimbo.fiscal.layouts.cte_v4.parties import CarrierAddress, WaybillAddress
from carimbo.fiscal.layouts.dps_v1.issued_note import IssuerAddress
from carimbo.fiscal.layouts.mdfe_v3.manifest import ManifestIssuerAddress
from carimbo.fiscal.layouts.nfe_v4.parties import InvoiceAddress, PickupOrDelivery
from carimbo.fiscal.layouts.sefaz.archived import ArchivedProtocol

Address = InvoiceAddress | PickupOrDelivery | WaybillAddress
"""An address with a country."""
DomesticAddress = CarrierAddress | IssuerAddress | ManifestIssuerAddress
"""An address without a country."""
_CNPJ, _CPF, _ZIPCODE = 14, 11, 8
_MOBILE, _LANDLINE = 11, 10
_SWAPPED = str.maketrans(",.", ".,")


def number(value: Decimal, places: int = 2, max_places: int | None = None) -> str:
    """Returns a number with points and a comma: `places` decimals or, if it has more, up to `max_places`."""
    digits = f"{value:,.{places if max_places is None else max_places}f}"
    if max_places is not None:
        whole, _, rest = digits.partition(".")
        digits = f"{whole}.{rest.rstrip('0').ljust(places, '0')}" if places else f"{whole}.{rest.rstrip('0')}"
    return digits.rstrip(".").translate(_SWAPPED)


def optional(value: Decimal | None, places: int = 2) -> str:
    """Returns a number, or an empty text for None: a value that the XML lacks is not printed as zero."""
    return "" if value is None else number(value, places)


def whole(value: int | None) -> str:
    """Returns an integer with points, or an empty text for None."""
    return "" if value is None else number(Decimal(value), 0)


def day(moment: date | None) -> str:
    """Returns a date, or an empty text for None."""
    return "" if moment is None else f"{moment:%d/%m/%Y}"


def hour(moment: datetime | None) -> str:
    """Returns a time of day, or an empty text for None."""
    return "" if moment is None else f"{moment:%H:%M:%S}"


def day_and_hour(moment: datetime) -> str:
    """Returns date and time in the time zone of the value."""
    return f"{day(moment)} {hour(moment)}"


def tax_id(*candidates: str | None) -> str:
    """Returns the first CNPJ or CPF that is present, with punctuation; a CNPJ may have letters."""
    digits = next(filter(None, candidates), "")
    if len(digits) == _CNPJ:
        return f"{digits[:2]}.{digits[2:5]}.{digits[5:8]}/{digits[8:12]}-{digits[12:]}"
    if len(digits) == _CPF:
        return f"{digits[:3]}.{digits[3:6]}.{digits[6:9]}-{digits[9:]}"
    return digits


def zipcode(digits: str | None) -> str:
    """Returns a CEP with its hyphen; a foreign postal code is returned as it is."""
    return f"{digits[:5]}-{digits[5:]}" if digits and len(digits) == _ZIPCODE else digits or ""


def phone(digits: str | None) -> str:
    """Returns a Brazilian phone number with its area code; any other is returned as it is."""
    if digits and len(digits) in (_LANDLINE, _MOBILE):
        return f"({digits[:2]}) {digits[2:-4]}-{digits[-4:]}"
    return digits or ""


def key(access_key: str) -> str:
    """Returns an access key in groups of four characters."""
    return " ".join(access_key[start : start + 4] for start in range(0, len(access_key), 4))


def invoice_number(value: int) -> str:
    """Returns nine digits with points (MOC 7.0, Anexo II, 3.1.1)."""
    return f"{value:011,}".replace(",", ".")


def street_of(place: Address | DomesticAddress) -> str:
    """Returns street, number and complement."""
    return ", ".join(filter(None, (place.street, place.number, place.complement)))


def city_of(place: Address) -> str:
    """Returns the city, with its country if abroad."""
    abroad = place.country if place.state == "EX" else None
    return " - ".join(filter(None, (place.city, abroad)))


def protocol(archived: ArchivedProtocol | None) -> str:
    """Returns number and moment of an authorization."""
    if archived is None or archived.number is None:
        return "PENDENTE DE AUTORIZAÇÃO"
    return f"{archived.number} - {day_and_hour(archived.at)}"

"""Addresses as they stand on paper."""

from carimbo.fiscal.layouts.dps_v1.issued_note import IssuerAddress
from carimbo.fiscal.layouts.nfe_v4.parties import Address, Place


def street_of(place: Address | Place | IssuerAddress) -> str:
    """Street, number and what else there is."""
    return ", ".join(filter(None, (place.street, place.number, place.complement)))


def city_of(place: Address | Place) -> str:
    """The city, with its country if that is not Brazil."""
    abroad = place.country if place.state == "EX" else None
    return " - ".join(filter(None, (place.city, abroad)))

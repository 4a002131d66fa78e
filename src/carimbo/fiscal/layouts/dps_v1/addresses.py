"""Addresses of the national NFS-e: by municipality and CEP in Brazil, by city and country abroad."""

from carimbo.fiscal.layouts.group import INLINE, child, group, text


@group("endNac")
class NationalPlace:
    """`endNac`: what places an address in Brazil."""

    city_code: str = text("cMun", 7)
    zipcode: str = text("CEP", 8)


@group("endExt")
class ForeignPlace:
    """`endExt`: what places an address abroad."""

    country_code: str = text("cPais", 2)
    """Two letters of ISO 3166."""
    postal_code: str = text("cEndPost", 11)
    city: str = text("xCidade", 60)
    region: str = text("xEstProvReg", 60)


@group("endExt")
class ForeignSite:
    """`endExt` of a work or an event, which says its country elsewhere."""

    postal_code: str = text("cEndPost", 11)
    city: str = text("xCidade", 60)
    region: str = text("xEstProvReg", 60)


@group("end")
class PartyAddress:
    """`end` of who gives or takes the service: in the caller's JSON its place is among its lines."""

    national: NationalPlace | None = child("endNac", path=INLINE, default=None)
    foreign: ForeignPlace | None = child("endExt", path=INLINE, default=None)
    street: str = text("xLgr", 255)
    number: str = text("nro", 60)
    complement: str | None = text("xCpl", 156, default=None)
    district: str = text("xBairro", 60)


@group("end")
class Address:
    """`end` of any other person."""

    national: NationalPlace | None = child("endNac", default=None)
    foreign: ForeignPlace | None = child("endExt", default=None)
    street: str = text("xLgr", 255)
    number: str = text("nro", 60)
    complement: str | None = text("xCpl", 156, default=None)
    district: str = text("xBairro", 60)


@group("end")
class SiteAddress:
    """`end` of a work, an event or a property."""

    zipcode: str | None = text("CEP", 8, default=None)
    foreign: ForeignSite | None = child("endExt", default=None)
    street: str = text("xLgr", 255)
    number: str = text("nro", 60)
    complement: str | None = text("xCpl", 156, default=None)
    district: str = text("xBairro", 60)

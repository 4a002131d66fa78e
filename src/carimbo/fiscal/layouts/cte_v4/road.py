"""The road mode of a CT-e (`rodo`), which has its own XSD."""

from datetime import date

from carimbo.fiscal.layouts.group import child, children, day, group, text


@group("emiOcc")
class CollectionOrderIssuer:
    """`emiOcc`: who issued a collection order."""

    cnpj: str = text("CNPJ", 14, path="taxId")
    code: str | None = text("cInt", 10, default=None)
    state_registration: str = text("IE", 14)
    state: str = text("UF", 2)
    phone: str | None = text("fone", 14, default=None)


@group("occ")
class CollectionOrder:
    """`occ`: the order by which the cargo was collected."""

    series: str | None = text("serie", 3, default=None)
    number: str = text("nOcc", 6)
    issue_date: date = day("dEmi")
    issuer: CollectionOrderIssuer = child("emiOcc")


@group("rodo")
class Road:
    """`rodo`: the carrier's registration at ANTT, and the collection orders."""

    rntrc: str = text("RNTRC", 8, path="/rntrc")
    collection_orders: tuple[CollectionOrder, ...] = children("occ", 10, default=())

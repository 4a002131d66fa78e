"""Edits that insert or replace groups, given as XML, and edits of dates and rates."""

from collections.abc import Mapping
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal

from lxml import etree

from unit.simulator.mutating import Edit, at, says

LAST_OF_2026 = datetime.fromisoformat("2026-12-31T23:59:00-03:00")
FIRST_OF_2027 = datetime.fromisoformat("2027-01-01T00:00:00-03:00")
SHARES = {"gIBSUF": "IBSUF", "gIBSMun": "IBSMun", "gCBS": "CBS"}
OF_2026 = {"gIBSUF": "0.1000", "gIBSMun": "0.0000", "gCBS": "0.9000"}
OF_2027 = {"gIBSUF": "0.0500", "gIBSMun": "0.0500", "gCBS": "11.1100"}
_ITEM, _TOTALS = "infNFe/det/imposto/IBSCBS/gIBSCBS", "infNFe/total/IBSCBSTot"
_HUNDRED = Decimal(100)


def grown(path: str, *groups: str) -> Edit:
    """Inserts groups after the element at a path."""

    def edit(root: etree._Element) -> None:
        for new in reversed(_parsed(root, groups)):
            at(root, path).addnext(new)

    return edit


def filled(path: str, *groups: str) -> Edit:
    """Appends groups to the element at a path."""

    def edit(root: etree._Element) -> None:
        at(root, path).extend(_parsed(root, groups))

    return edit


def opened(path: str, *groups: str) -> Edit:
    """Inserts groups at the beginning of the element at a path."""

    def edit(root: etree._Element) -> None:
        for position, new in enumerate(_parsed(root, groups)):
            at(root, path).insert(position, new)

    return edit


def becomes(path: str, *groups: str) -> Edit:
    """Replaces the element at a path."""

    def edit(root: etree._Element) -> None:
        old = at(root, path)
        for new in reversed(_parsed(root, groups)):
            old.addnext(new)
        parent = old.getparent()
        assert parent is not None
        parent.remove(old)

    return edit


def _parsed(root: etree._Element, groups: tuple[str, ...]) -> list[etree._Element]:
    namespace = etree.QName(root).namespace
    return list(etree.fromstring(f'<x xmlns="{namespace}">{"".join(groups)}</x>'))


def issued_at(moment: datetime) -> Edit:
    """Changes the moment of issue."""
    return says("infNFe/ide/dhEmi", moment.isoformat())


def rated(rates: Mapping[str, str]) -> Edit:
    """Computes the IBS and CBS of the only item again, and their totals."""

    def edit(root: etree._Element) -> None:
        base, ibs = Decimal(at(root, f"{_ITEM}/vBC").text or ""), Decimal(0)
        for group, name in SHARES.items():
            total = f"{_TOTALS}/gCBS" if group == "gCBS" else f"{_TOTALS}/gIBS/{group}"
            due = _share(at(root, f"{_ITEM}/{group}"), name, Decimal(rates[group]), base)
            for tag in (f"v{name}", "gDif/vDif"):
                amount = at(root, f"{_ITEM}/{group}").find(
                    "/".join(f"{{*}}{step}" for step in tag.split("/"))
                )
                if amount is not None:
                    at(root, f"{total}/{tag.rpartition('/')[2]}").text = amount.text
            ibs += due if group != "gCBS" else 0
        for path in (f"{_ITEM}/vIBS", f"{_TOTALS}/gIBS/vIBS"):
            at(root, path).text = f"{ibs:.2f}"

    return edit


def _share(share: etree._Element, name: str, rate: Decimal, base: Decimal) -> Decimal:
    """Writes the rate, the effective rate, the deferred and the due amount; returns the due amount."""

    def element_at(path: str) -> etree._Element | None:
        return share.find("/".join(f"{{*}}{tag}" for tag in path.split("/")))

    def write(path: str, number: Decimal, places: str) -> None:
        element = element_at(path)
        if element is not None:
            element.text = str(number.quantize(Decimal(places), ROUND_HALF_UP))

    def percent(path: str) -> Decimal:
        element = element_at(path)
        return Decimal(0) if element is None else Decimal(element.text or "") / _HUNDRED

    effective = rate * (1 - percent("gRed/pRedAliq"))
    whole = base * effective / _HUNDRED
    deferred = (whole * percent("gDif/pDif")).quantize(Decimal("0.01"), ROUND_HALF_UP)
    write(f"p{name}", rate, "0.0001")
    write("gRed/pAliqEfet", effective, "0.0001")
    write("gDif/vDif", deferred, "0.01")
    due = whole.quantize(Decimal("0.01"), ROUND_HALF_UP) - deferred
    write(f"v{name}", due, "0.01")
    return due

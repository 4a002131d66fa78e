"""IBS and CBS as the NFS-e tells them (infNFSe/IBSCBS, layout 1.01)."""

from decimal import Decimal

from carimbo.simulator.nfse.amounts import ZERO, passed_on, share
from carimbo.simulator.nfse.case import NoteCase
from carimbo.simulator.nfse.reform_amounts import ReformTax, Share, place_of_operation
from carimbo.simulator.nfse.writing import city_name, money
from carimbo.simulator.writing import element, texts


def reform_group(tax: ReformTax, case: NoteCase) -> str:
    """`IBSCBS`; the discount of public purchases is nothing yet."""
    is_public, place = case.has("IBSCBS/tpEnteGov"), place_of_operation(case)
    where = texts({"cLocalidadeIncid": place, "xLocalidadeIncid": city_name(place)})
    discount = money({"pRedutor": ZERO if is_public else None})
    return element("IBSCBS", where + discount + _values(tax, case) + _totals(tax, is_public=is_public))


def _values(tax: ReformTax, case: NoteCase) -> str:
    rates = (
        element("uf", _rates(tax.state, "pIBSUF", "UF"))
        + element("mun", _rates(tax.city, "pIBSMun", "Mun"))
        + element("fed", _rates(tax.cbs, "pCBS", "CBS"))
    )
    base = money({"vBC": tax.base, "vCalcReeRepRes": passed_on(case)})
    return element("valores", base + rates)


def _rates(share_of: Share, tag: str, name: str) -> str:
    return money(
        {
            tag: share_of.rate,
            f"pRedAliq{name}": share_of.reduction,
            f"pAliqEfet{name}": share_of.effective,
        }
    )


def _totals(tax: ReformTax, *, is_public: bool) -> str:
    state = element("gIBSUFTot", money({"vDifUF": tax.state.deferred, "vIBSUF": tax.state.amount}))
    city = element("gIBSMunTot", money({"vDifMun": tax.city.deferred, "vIBSMun": tax.city.amount}))
    cbs = element("gCBS", money({"vDifCBS": tax.cbs.deferred, "vCBS": tax.cbs.amount}))
    ibs = element("gIBS", money({"vIBSTot": tax.ibs}) + state + city)
    others = _regular(tax) + (_public(tax) if is_public else "")
    return element("totCIBS", money({"vTotNF": tax.total}) + ibs + cbs + others)


def _regular(tax: ReformTax) -> str:
    """`gTribRegular`: what would be due without the benefit."""
    told: dict[str, Decimal | None] = {}
    for name, one in (("IBSUF", tax.state), ("IBSMun", tax.city), ("CBS", tax.cbs)):
        if one.regular is None:
            return ""
        told |= {f"pAliqEfeReg{name}": one.regular, f"vTribReg{name}": share(tax.base, one.regular)}
    return element("gTribRegular", money(told))


def _public(tax: ReformTax) -> str:
    """`gTribCompraGov`: who gets the taxes of what a public body buys."""
    told: dict[str, Decimal | None] = {}
    for name, one in (("IBSUF", tax.state), ("IBSMun", tax.city), ("CBS", tax.cbs)):
        told |= {f"p{name}": one.effective, f"v{name}": one.amount}
    return element("gTribCompraGov", money(told))

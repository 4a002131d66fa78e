"""An item before the judge, with what many rules look at read once."""

from dataclasses import dataclass

from carimbo.simulator.group import NOTHING, Group


@dataclass(frozen=True, slots=True)
class Line:
    """One `det`; of groups that are not there the tag is empty."""

    number: str
    """`nItem`."""
    item: Group
    product: Group
    taxes: Group
    icms: Group
    """The group of its situation, such as `ICMS00` and `ICMSSN102`."""
    situation: str
    """CST or CSOSN of the ICMS."""
    pis: Group
    """`PISAliq`, `PISNT`…"""
    cofins: Group
    reform: Group
    """`IBSCBS`."""
    rated: Group
    """`gIBSCBS`."""
    cfop: str
    ncm: str

    @property
    def is_service(self) -> bool:
        """Tell whether a city taxes the item instead of a state."""
        return "ISSQN" in self.taxes.groups

    @property
    def consumed_in(self) -> str:
        """The state where a fuel is consumed (`UFCons`), `EX` abroad; empty if it is not told."""
        return self.product.text("comb/UFCons")


def line_of(item: Group) -> Line:
    """Read an item."""
    product, taxes = item.group("prod") or NOTHING, item.group("imposto") or NOTHING
    icms = _only_in(taxes, "ICMS")
    reform = taxes.group("IBSCBS") or NOTHING
    return Line(
        number=item.attributes.get("nItem", ""),
        item=item,
        product=product,
        taxes=taxes,
        icms=icms,
        situation=icms.texts.get("CST") or icms.texts.get("CSOSN", ""),
        pis=_only_in(taxes, "PIS"),
        cofins=_only_in(taxes, "COFINS"),
        reform=reform,
        rated=reform.group("gIBSCBS") or NOTHING,
        cfop=product.texts.get("CFOP", ""),
        ncm=product.texts.get("NCM", ""),
    )


def _only_in(taxes: Group, tag: str) -> Group:
    around = taxes.group(tag)
    return (around.only() if around else None) or NOTHING

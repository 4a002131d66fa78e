"""The amounts of a received NF-e for the books: sums by CFOP, tax and CST."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from carimbo.fiscal.documents.nfe.received_file import invoice_in
from carimbo.fiscal.layouts.received_part import ReceivedPart, summed
from carimbo.fiscal.money import ZERO
from carimbo.fiscal.receiving import TaxedAmount

_CFOP = re.compile("[1-7][0-9]{3}")


class _Tax(NamedTuple):
    """Where an item has a tax. Of several paths below the group, the first that is present counts."""

    name: str
    groups: tuple[str, ...]
    amounts: tuple[str, ...]
    bases: tuple[str, ...] = ("vBC",)
    situations: tuple[str, ...] = ("CST",)
    is_partial: bool = False
    """Whether the group is of another tax: the item has this one only if it has an amount."""


_ICMS, _ICMS_CODES = ("ICMS/*",), ("CST", "CSOSN")
_TAXES = (
    _Tax("icms", _ICMS, ("vICMS", "vICMSMono"), situations=_ICMS_CODES),
    # ICMS00 has no base of its own for the poverty fund.
    _Tax("fcp", _ICMS, ("vFCP",), ("vBCFCP", "vBC"), _ICMS_CODES, is_partial=True),
    _Tax("icmsSt", _ICMS, ("vICMSST",), ("vBCST",), _ICMS_CODES, is_partial=True),
    _Tax("fcpSt", _ICMS, ("vFCPST",), ("vBCFCPST",), _ICMS_CODES, is_partial=True),
    _Tax("ipi", ("IPI/IPITrib", "IPI/IPINT"), ("vIPI",)),
    _Tax("ii", ("II",), ("vII",)),
    _Tax("pis", ("PIS/*",), ("vPIS",)),
    _Tax("pisSt", ("PISST",), ("vPIS",)),
    _Tax("cofins", ("COFINS/*",), ("vCOFINS",)),
    _Tax("cofinsSt", ("COFINSST",), ("vCOFINS",)),
    _Tax("iss", ("ISSQN",), ("vISSQN",)),
    _Tax("is", ("IS",), ("vIS",), ("vBCIS",), ("CSTIS",)),
    _Tax("ibs", ("IBSCBS",), ("gIBSCBS/vIBS", "gIBSCBSMono/vTotIBSMonoItem"), ("gIBSCBS/vBC",)),
    _Tax("cbs", ("IBSCBS",), ("gIBSCBS/gCBS/vCBS", "gIBSCBSMono/vTotCBSMonoItem"), ("gIBSCBS/vBC",)),
)


def amounts(xml: bytes) -> tuple[TaxedAmount, ...]:
    """Returns the sums of all items, in the order of CFOP, tax and CST.

    An item counts under each tax that it has, with an amount of zero if it is exempt. ICMS that was retained
    earlier (vICMSSTRet) is not charged by the document, and not included.
    """
    return summed(line for item in invoice_in(xml).parts("det") for line in _taxes_of(item))


def _taxes_of(item: ReceivedPart) -> Iterator[TaxedAmount]:
    cfop = item.required_text("prod/CFOP", _CFOP)
    value = item.required_number("prod/vProd") - (item.number("prod/vDesc") or ZERO)
    for tax in _TAXES:
        for path in tax.groups:
            group = item.part(f"imposto/{path}")
            if group is None:
                continue
            amount = group.number(*tax.amounts)
            if amount is not None or not tax.is_partial:
                yield TaxedAmount(
                    cfop=cfop,
                    tax=tax.name,
                    cst=group.cst(*tax.situations),
                    items=value,
                    base=group.number(*tax.bases) or ZERO,
                    amount=amount or ZERO,
                )

"""Any valid body has totals that are the sums of its items, and shares without a remainder."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.money import cents
from unit.fiscal.drawing import AMOUNT, FLAG, Values, above_zero, any_of, between, each, having, number
from unit.fiscal.good_bodies import REGIMES, SIMPLES, buyer_in, seller
from unit.fiscal.goods.support import RIO_DE_JANEIRO, SAO_PAULO, element, item, lines, nfe

BAHIA = {**SAO_PAULO, "zipcode": "40020-000", "city": "Salvador", "state": "BA"}
CITIES = (SAO_PAULO, RIO_DE_JANEIRO, BAHIA)
CHARGES = {"discount": "vDesc", "freight": "vFrete", "insurance": "vSeg", "other": "vOutro"}


# Situations whose amounts are computed, and some whose amounts the caller gives.
SUBSTITUTED = {"stBaseMode": "4", "stBase": 140, "stRate": 18, "stAmount": 7.2}
FUND_OF_THE_SUBSTITUTED = {"stFcpBase": 140, "stFcpRate": 2, "stFcpAmount": 2.8}
WAIVED = {"cst": "40", "exemptedAmount": 0.01, "exemptionReason": "9"}
BY_CSOSN = any_of(
    {},
    {"icms": {"csosn": "101"}},
    {"icms": {"csosn": "400"}},
    {"icms": {"csosn": "500"}},
    {"icms": {"csosn": "900", "rate": 18, "baseReduction": 33.33}},
    {"icms": {"csosn": "202"} | SUBSTITUTED | FUND_OF_THE_SUBSTITUTED},
)
BY_CST = any_of(
    {},
    {"icms": {"cst": "00", "rate": 25, "fcpRate": 2}},
    {"icms": {"cst": "10"} | SUBSTITUTED | FUND_OF_THE_SUBSTITUTED},
    {"icms": {"cst": "20", "baseReduction": 33.33}},
    {"icms": WAIVED},
    {"icms": WAIVED | {"exemptionIsDeducted": "1"}},
    {"icms": {"cst": "51", "rate": 18, "deferralRate": 33.33}},
    {"icms": {"cst": "60", "retainedFcpBase": 9, "retainedFcpRate": 2, "retainedFcpAmount": 0.18}},
    {"icms": {"cst": "90", "rate": 12}},
)
DEFERRED = {"deferral": {"rate": 33.33}, "refund": {"amount": 0.01}}
CREDIT = {
    "base": 9,
    "code": "1",
    "ibs": {"rate": 2, "amount": 0.18},
    "cbs": {"rate": 3, "conditionalAmount": 0.27},
}
OF_THE_REFORM = any_of(
    {},
    {"ibsCbs": {"taxClassCode": "000001", "operationCredit": CREDIT}},
    {"ibsCbs": {"taxClassCode": "200003"}},
    {"ibsCbs": {"taxClassCode": "200034"}},
    {"ibsCbs": {"taxClassCode": "410001"}},
    {"ibsCbs": {"taxClassCode": "515001", "state": DEFERRED, "city": DEFERRED, "cbs": DEFERRED}},
)
OTHER_TAXES: dict[str, Values] = {
    "ipi": any_of({"cst": "50", "rate": 9.75}, {"cst": "53"}),
    "pis": any_of({"cst": "06"}, {"cst": "02", "rate": 0.65}),
    "cofins": any_of({"cst": "03", "quantity": 1.5, "unitRate": 0.1234}),
    "approximateTaxes": AMOUNT,
    "importTax": any_of({"base": 10, "customsExpenses": 1, "amount": 2.01, "iofAmount": 0}),
    "returnedIpi": any_of({"returnedShare": 50, "amount": 1.11}),
}
PRICES = {"quantity": above_zero(1000, 4), "unitValue": between(Decimal(1), 1000, 4)}
# No charge exceeds the price of the smallest item that is drawn with it.
CHARGED = each(number(1), *CHARGES)


@st.composite
def sales(draw: Callable[..., Any]) -> Invoice:
    """Draws a sale of any regime to anyone in the country."""
    regime, city = draw(st.sampled_from(REGIMES)), st.sampled_from(CITIES)
    situation = BY_CSOSN if regime in SIMPLES else BY_CST
    prices = having(PRICES | {"quantity": between(Decimal(1), 1000, 4)}, CHARGED)
    parts = [values.strategy for values in (prices, having({}, OTHER_TAXES), situation, OF_THE_REFORM)]
    items = [
        item(**{name: value for part in parts for name, value in draw(part).items()})
        for _ in range(draw(st.integers(min_value=1, max_value=5)))
    ]
    buyer = buyer_in(draw(city), contributes=draw(st.booleans()))
    return nfe(by=seller(regime, draw(city)), recipient=buyer, items=items)


def added(parts: list[etree._Element], path: str) -> Decimal:
    """Returns the sum of all elements at a path within the parts."""
    wanted = "/".join(f"{{*}}{tag}" for tag in path.split("/"))
    return sum((Decimal(match.text or "") for part in parts for match in part.iterfind(wanted)), Decimal(0))


OF_THE_PRODUCT = {tag: f"prod/{tag}" for tag in ("vFrete", "vSeg", "vDesc", "vOutro")}
OF_ICMS = {tag: f"imposto/ICMS/*/{tag}" for tag in ("vBC", "vICMS", "vICMSDeson", "vFCP", "vBCST")}
OF_THE_BUYERS_STATE = {
    tag: f"imposto/ICMSUFDest/{tag}" for tag in ("vFCPUFDest", "vICMSUFDest", "vICMSUFRemet")
}
ICMS_TOTALS = {
    **OF_THE_PRODUCT,
    **OF_ICMS,
    **OF_THE_BUYERS_STATE,
    "vST": "imposto/ICMS/*/vICMSST",
    "vFCPST": "imposto/ICMS/*/vFCPST",
    "vFCPSTRet": "imposto/ICMS/*/vFCPSTRet",
    "vProd": "prod/vProd",
    "vII": "imposto/II/vII",
    "vIPI": "imposto/IPI/IPITrib/vIPI",
    "vIPIDevol": "impostoDevol/IPI/vIPIDevol",
    "vPIS": "imposto/PIS/*/vPIS",
    "vCOFINS": "imposto/COFINS/*/vCOFINS",
    "vTotTrib": "imposto/vTotTrib",
}
REFORM_TOTALS = {
    "vBCIBSCBS": "gIBSCBS/vBC",
    "gIBS/gIBSUF/vDif": "gIBSCBS/gIBSUF/gDif/vDif",
    "gIBS/gIBSUF/vDevTrib": "gIBSCBS/gIBSUF/gDevTrib/vDevTrib",
    "gIBS/gIBSUF/vIBSUF": "gIBSCBS/gIBSUF/vIBSUF",
    "gIBS/gIBSMun/vDif": "gIBSCBS/gIBSMun/gDif/vDif",
    "gIBS/gIBSMun/vDevTrib": "gIBSCBS/gIBSMun/gDevTrib/vDevTrib",
    "gIBS/gIBSMun/vIBSMun": "gIBSCBS/gIBSMun/vIBSMun",
    "gIBS/vIBS": "gIBSCBS/vIBS",
    "gIBS/vCredPres": "gCredPresOper/gIBSCredPres/vCredPres",
    "gIBS/vCredPresCondSus": "gCredPresOper/gIBSCredPres/vCredPresCondSus",
    "gCBS/vDif": "gIBSCBS/gCBS/gDif/vDif",
    "gCBS/vDevTrib": "gIBSCBS/gCBS/gDevTrib/vDevTrib",
    "gCBS/vCBS": "gIBSCBS/gCBS/vCBS",
    "gCBS/vCredPres": "gCredPresOper/gCBSCredPres/vCredPres",
    "gCBS/vCredPresCondSus": "gCredPresOper/gCBSCredPres/vCredPresCondSus",
}
CHARGED_ON_TOP = ("vST", "vFCPST", "vFrete", "vSeg", "vOutro", "vII", "vIPI", "vIPIDevol")


def totals_in(document: etree._Element, group: str) -> dict[str, Decimal]:
    """Returns every total of a group of the document, by its path in the group."""
    totals = document.find(f"{{*}}total/{{*}}{group}")
    leaves = [] if totals is None else [leaf for leaf in totals.iter() if not len(leaf)]
    return {_path(leaf, group): Decimal(leaf.text or "") for leaf in leaves}


def _path(leaf: etree._Element, group: str) -> str:
    names = [etree.QName(ancestor).localname for ancestor in (leaf, *leaf.iterancestors())]
    return "/".join(reversed(names[: names.index(group)]))


def assert_totals_add_up(invoice: Invoice) -> None:
    """Checks every total of a document against its items, and its amount against the totals."""
    document = element(invoice)
    items = document.findall("{*}det")
    totals = totals_in(document, "ICMSTot")
    assert totals.keys() <= ICMS_TOTALS.keys() | {"vNF"}
    sums = {tag: added(items, ICMS_TOTALS[tag]) for tag in totals if tag != "vNF"}
    assert totals == sums | {"vNF": _amount(totals, items)}
    of_the_reform = totals_in(document, "IBSCBSTot")
    reformed = [line for line in items if line.find(".//{*}IBSCBS") is not None]
    assert bool(of_the_reform) == bool(reformed)
    sums = {path: added(items, f"imposto/IBSCBS/{REFORM_TOTALS[path]}") for path in of_the_reform}
    assert of_the_reform == sums
    if len(reformed) == len(items):
        assert added(items, "vItem") == totals["vNF"]


def _amount(totals: dict[str, Decimal], items: list[etree._Element]) -> Decimal:
    """Returns the amount of a document with these totals."""
    deducted = [line for line in items if line.findtext(".//{*}indDeduzDeson") == "1"]
    waived = added(deducted, "imposto/ICMS/*/vICMSDeson")
    charged = sum((totals[tag] for tag in CHARGED_ON_TOP), Decimal(0))
    return totals["vProd"] - totals["vDesc"] - waived + charged


SHARED_CHARGES: tuple[Any, ...] = (
    st.lists(having(PRICES, {"countsInTotal": FLAG}).strategy, min_size=1, max_size=6),
    having(each(number(999), "freight", "insurance", "other")).strategy,
    number(1, 4).strategy,
)
"""Prices of items, charges of the document, and the share of the goods that is discounted."""


def assert_shares_are_whole(
    prices: list[dict[str, Any]], charges: dict[str, Decimal], discounted: Decimal
) -> None:
    """Checks that the items share the charges of a document to the cent, and none becomes negative."""
    counted = [price for price in prices if price.get("countsInTotal", True)]
    goods = sum((cents(price["quantity"] * price["unitValue"]) for price in counted), Decimal(0))
    charges["discount"] = cents(goods * discounted)
    of_the_sale: dict[str, Any] = charges | {"freight": {"mode": "sender", "amount": charges["freight"]}}
    shared = list(lines(nfe(items=[item(**price) for price in prices], **of_the_sale)))
    assert {name: added(shared, f"prod/{tag}") for name, tag in CHARGES.items()} == charges
    assert all(added([line], "prod/vDesc") <= added([line], "prod/vProd") for line in shared)


class TestTotals:
    @settings(max_examples=100)
    @given(sales())
    def test_totals_are_the_sums_of_the_items_and_make_the_amount_of_the_document(
        self, invoice: Invoice
    ) -> None:
        assert_totals_add_up(invoice)


class TestShares:
    @settings(max_examples=50)
    @given(*SHARED_CHARGES)
    def test_shares_of_the_documents_charges_add_up_and_make_no_item_negative(
        self, prices: list[dict[str, Any]], charges: dict[str, Decimal], discounted: Decimal
    ) -> None:
        assert_shares_are_whole(prices, charges, discounted)

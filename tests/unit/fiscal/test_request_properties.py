"""Whatever a good body holds: totals are sums, shares are whole, no optional field makes an invalid XML."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lxml import etree

from carimbo.fiscal.company import Company
from carimbo.fiscal.documents.nfce import document as nfce_document
from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.documents.nfce.settings import NfceSettings
from carimbo.fiscal.documents.nfce.supplement import supplement_of
from carimbo.fiscal.goods.composition import Composition
from carimbo.fiscal.layouts.group import SCHEMA_PROBLEM
from carimbo.fiscal.layouts.nfe_v4.document import WrittenInvoice, check, enclose, write
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.money import cents
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.signed_document import SignedDocument
from unit.fiscal import optional_fields as may
from unit.fiscal.goods.support import (
    BUYER,
    BUYER_CNPJ,
    CSC,
    LISBON,
    NFCE_BODY,
    RIO_DE_JANEIRO,
    SAO_PAULO,
    SCHEMAS,
    SOFTWARE,
    company,
    composed_nfe,
    element,
    emission,
    issued_nfce,
    issued_nfe,
    item,
    lines,
    nfe,
)
from unit.fiscal.optional_fields import having, one

BAHIA = {**SAO_PAULO, "zipcode": "40020-000", "city": "Salvador", "state": "BA"}
CITIES = (SAO_PAULO, RIO_DE_JANEIRO, BAHIA)
SIMPLES = ("simples", "mei")
REGIMES = (*SIMPLES, "simplesExcess", "normal")
CHARGES = {"discount": "vDesc", "freight": "vFrete", "insurance": "vSeg", "other": "vOutro"}


def seller(regime: str, address: dict[str, str] = SAO_PAULO) -> Company:
    """A company that leaves no tax of a sale open."""
    registrations = [{"state": address["state"], "number": "111111111111"}]
    return company(
        taxRegime=regime,
        pisCofinsRegime="nonCumulative",
        address=address,
        stateRegistrations=registrations,
        defaults={"simplesCreditRate": 1.25},
    )


def buyer_in(address: dict[str, str], *, contributes: bool) -> dict[str, Any]:
    registered = {"taxId": BUYER_CNPJ, "stateRegistration": "110042490114"} if contributes else {}
    return BUYER | {"address": address} | registered


# Situations whose amounts are computed, and some whose amounts are told.
SUBSTITUTED = {"stBaseMode": "4", "stBase": 140, "stRate": 18, "stAmount": 7.2}
FUND_OF_THE_SUBSTITUTED = {"stFcpBase": 140, "stFcpRate": 2, "stFcpAmount": 2.8}
WAIVED = {"cst": "40", "exemptedAmount": 0.01, "exemptionReason": "9"}
BY_CSOSN = one(
    {},
    {"icms": {"csosn": "101"}},
    {"icms": {"csosn": "400"}},
    {"icms": {"csosn": "500"}},
    {"icms": {"csosn": "900", "rate": 18, "baseReduction": 33.33}},
    {"icms": {"csosn": "202"} | SUBSTITUTED | FUND_OF_THE_SUBSTITUTED},
)
BY_CST = one(
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
OF_THE_REFORM = one(
    {},
    {"ibsCbs": {"taxClassCode": "000001", "operationCredit": CREDIT}},
    {"ibsCbs": {"taxClassCode": "200003"}},
    {"ibsCbs": {"taxClassCode": "200034"}},
    {"ibsCbs": {"taxClassCode": "410001"}},
    {"ibsCbs": {"taxClassCode": "515001", "state": DEFERRED, "city": DEFERRED, "cbs": DEFERRED}},
)
OTHER_TAXES: dict[str, st.SearchStrategy[Any]] = {
    "ipi": one({"cst": "50", "rate": 9.75}, {"cst": "53"}),
    "pis": one({"cst": "06"}, {"cst": "02", "rate": 0.65}),
    "cofins": one({"cst": "03", "quantity": 1.5, "unitRate": 0.1234}),
    "approximateTaxes": may.AMOUNT,
    "importTax": st.just({"base": 10, "customsExpenses": 1, "amount": 2.01, "iofAmount": 0}),
    "returnedIpi": st.just({"returnedShare": 50, "amount": 1.11}),
}
PRICES: dict[str, st.SearchStrategy[Any]] = {
    "quantity": st.decimals(min_value="0.0001", max_value=1000, places=4),
    "unitValue": st.decimals(min_value=1, max_value=1000, places=4),
}
# No charge is above the price of the smallest item that is drawn with it.
CHARGED = {name: st.decimals(min_value=0, max_value=1, places=2) for name in CHARGES}


@st.composite
def sales(draw: Callable[..., Any]) -> Invoice:
    """A sale of any regime to anyone in the country."""
    regime, of, to = draw(one(*REGIMES)), draw(one(*CITIES)), draw(one(*CITIES))
    situation = BY_CSOSN if regime in SIMPLES else BY_CST
    prices = having(PRICES | {"quantity": st.decimals(min_value=1, max_value=1000, places=4)}, CHARGED)
    items = [
        item(**draw(prices), **draw(having({}, OTHER_TAXES)), **draw(situation), **draw(OF_THE_REFORM))
        for _ in range(draw(st.integers(min_value=1, max_value=5)))
    ]
    return nfe(by=seller(regime, of), recipient=buyer_in(to, contributes=draw(st.booleans())), items=items)


def added(parts: list[etree._Element], path: str) -> Decimal:
    """What all elements at a path within the parts add up to."""
    wanted = "/".join(f"{{*}}{tag}" for tag in path.split("/"))
    return sum((Decimal(one.text or "") for part in parts for one in part.iterfind(wanted)), Decimal(0))


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


def totals_in(invoice: Invoice, group: str) -> dict[str, Decimal]:
    """Every total of a group of the document, by its path in the group."""
    found = element(invoice).find(f"{{*}}total/{{*}}{group}")
    if found is None:
        return {}
    leaves = [one for one in found.iter() if not len(one)]
    return {_path(one, group): Decimal(one.text or "") for one in leaves}


def _path(leaf: etree._Element, group: str) -> str:
    names = [etree.QName(one).localname for one in (leaf, *leaf.iterancestors())]
    return "/".join(reversed(names[: names.index(group)]))


class TestTotals:
    @settings(max_examples=100)
    @given(sales())
    def test_are_the_sums_of_the_items(self, invoice: Invoice) -> None:
        told, items = totals_in(invoice, "ICMSTot"), list(lines(invoice))
        assert told.keys() <= ICMS_TOTALS.keys() | {"vNF"}
        sums = {tag: added(items, ICMS_TOTALS[tag]) for tag in told if tag != "vNF"}
        assert {tag: told[tag] for tag in sums} == sums

    @settings(max_examples=100)
    @given(sales())
    def test_make_the_amount_of_the_document(self, invoice: Invoice) -> None:
        told = totals_in(invoice, "ICMSTot")
        deducted = [one for one in lines(invoice) if one.findtext(".//{*}indDeduzDeson") == "1"]
        waived = added(deducted, "imposto/ICMS/*/vICMSDeson")
        charged = sum(told[tag] for tag in CHARGED_ON_TOP)
        assert told["vNF"] == told["vProd"] - told["vDesc"] - waived + charged

    @settings(max_examples=100)
    @given(sales())
    def test_of_the_reform_are_the_sums_of_the_items(self, invoice: Invoice) -> None:
        told, items = totals_in(invoice, "IBSCBSTot"), list(lines(invoice))
        assert bool(told) == any(one.find(".//{*}IBSCBS") is not None for one in items)
        sums = {path: added(items, f"imposto/IBSCBS/{REFORM_TOTALS[path]}") for path in told}
        assert told == sums

    @settings(max_examples=100)
    @given(sales())
    def test_of_items_of_the_reform_make_the_amount_of_the_document(self, invoice: Invoice) -> None:
        items = list(lines(invoice))
        if all(one.find(".//{*}IBSCBS") is not None for one in items):
            assert added(items, "vItem") == totals_in(invoice, "ICMSTot")["vNF"]


class TestShares:
    @settings(max_examples=150)
    @given(
        st.lists(having(PRICES, {"countsInTotal": st.booleans()}), min_size=1, max_size=6),
        having(dict.fromkeys(("freight", "insurance", "other"), may.number(999))),
        may.number(1, 4),
    )
    def test_of_the_documents_charges_are_whole_and_make_no_item_negative(
        self, prices: list[dict[str, Any]], charges: dict[str, Decimal], discounted: Decimal
    ) -> None:
        counted = [one for one in prices if one.get("countsInTotal", True)]
        goods = sum((cents(one["quantity"] * one["unitValue"]) for one in counted), Decimal(0))
        charges["discount"] = cents(goods * discounted)
        of_the_sale: dict[str, Any] = charges | {"freight": {"mode": "sender", "amount": charges["freight"]}}
        made = list(lines(nfe(items=[item(**one) for one in prices], **of_the_sale)))
        assert {name: added(made, f"prod/{tag}") for name, tag in CHARGES.items()} == charges
        assert all(added([one], "prod/vDesc") <= added([one], "prod/vProd") for one in made)


IN_THE_STATE = {"recipient": BUYER}
TO_A_CONSUMER = {"recipient": buyer_in(RIO_DE_JANEIRO, contributes=False)}
TO_A_COMPANY = {"recipient": buyer_in(RIO_DE_JANEIRO, contributes=True)}
EXPORTED: dict[str, Any] = {
    "recipient": {"foreignId": "PASS12345", "name": "John Smith", "address": LISBON},
    "export": {"state": "SP", "exitPlace": "Santos"},
}


@st.composite
def items_with_more(draw: Callable[..., Any], regime: str, charges: may.Strategy) -> list[dict[str, Any]]:
    """Items with any of their optional fields."""
    icms = may.ICMS_BY_CSOSN if regime in SIMPLES else may.ICMS_BY_CST
    parts = [may.some_of(may.ITEM | {"icms": icms}), charges, st.just({}) | may.SCALE | may.SPECIAL_GOODS]
    return [item(**draw(parts[0]) | draw(parts[1]) | draw(parts[2])) for _ in range(draw(one(1, 2)))]


@st.composite
def sale_with_more(draw: Callable[..., Any], regime: str, of_the_type: may.Fields) -> dict[str, Any]:
    """The optional fields of a sale; charges are told of the items or of the sale, never of both."""
    by_item = draw(st.booleans())
    items = draw(items_with_more(regime, may.CHARGES if by_item else st.just({})))
    freight = draw(may.some_of(may.FREIGHT | ({} if by_item else {"amount": may.AMOUNT})))
    fields = may.SALE | of_the_type | ({} if by_item else may.SALE_CHARGES)
    told: dict[str, Any] = {"items": items} | draw(may.some_of(fields))
    return told | {"freight": freight | draw(may.CARRIAGE)} if freight else told


def schema_problems(invoice: Invoice, signer: Signer, *, is_receipt: bool = False) -> tuple[Problem, ...]:
    """What the XSD says of a document, whether or not a rule refuses it."""
    written = write(invoice)
    if not isinstance(written, WrittenInvoice):
        return written
    signature, supplement = signer.sign(written.canonical, written.id), b""
    if is_receipt:
        made = supplement_of(invoice, emission(), NfceSettings.model_validate(CSC), signature, signer)
        assert isinstance(made, bytes)
        supplement = made
    return check(enclose(written, signature, supplement), SCHEMAS)


def against_the_schema(outcome: SignedDocument | tuple[Problem, ...]) -> list[Problem]:
    told = outcome if isinstance(outcome, tuple) else ()
    return [problem for problem in told if problem.code == SCHEMA_PROBLEM]


def assert_fits_the_schema(signer: Signer, regime: str, good: dict[str, Any], more: dict[str, Any]) -> None:
    body = good | more | {"recipient": good["recipient"] | more.pop("recipient", {})}
    made = composed_nfe(by=seller(regime), **body)
    assert isinstance(made, Composition), made
    assert schema_problems(made.invoice, signer) == ()
    assert against_the_schema(issued_nfe(signer, by=seller(regime), **body)) == []


OF_AN_NFE = may.NFE_ONLY | {"recipient": having({}, may.RECIPIENT)}
OF_AN_NFCE = {"recipient": having({"taxId": one(BUYER_CNPJ)}, may.RECIPIENT)}
OF_ANY_SALE = may.SALE | may.SALE_CHARGES | OF_AN_NFE
OF_A_CARRIAGE = may.FREIGHT | {"amount": may.AMOUNT}


class TestEachOptionalField:
    """Alone, so that every one of them is tried, with zero and with more."""

    @pytest.mark.parametrize("name", may.ITEM)
    @settings(max_examples=20)
    @given(data=st.data())
    def test_of_an_item_fits_the_schema(self, signer: Signer, name: str, data: st.DataObject) -> None:
        more = {"items": [item(**{name: data.draw(may.ITEM[name])})]}
        assert_fits_the_schema(signer, "normal", IN_THE_STATE, more)

    @pytest.mark.parametrize(
        "together", [may.CHARGES, may.SCALE, may.SPECIAL_GOODS], ids=["charges", "scale", "kind"]
    )
    @settings(max_examples=30)
    @given(data=st.data())
    def test_of_an_item_fits_the_schema_beside_what_it_needs(
        self, signer: Signer, together: may.Strategy, data: st.DataObject
    ) -> None:
        more = {"items": [item(**data.draw(together))]}
        assert_fits_the_schema(signer, "normal", IN_THE_STATE, more)

    @settings(max_examples=150)
    @given(icms=may.ICMS_BY_CST)
    @example(icms={"cst": "00", "fcpRate": 0})
    # More tax than price leaves no base for PIS and COFINS.
    @example(icms={"cst": "00", "base": 1000, "rate": 18})
    def test_of_icms_fits_the_schema(self, signer: Signer, icms: dict[str, Any]) -> None:
        assert_fits_the_schema(signer, "normal", IN_THE_STATE, {"items": [item(icms=icms)]})

    @settings(max_examples=60)
    @given(icms=may.ICMS_BY_CSOSN)
    def test_of_icms_of_the_simples_fits_the_schema(self, signer: Signer, icms: dict[str, Any]) -> None:
        assert_fits_the_schema(signer, "simples", IN_THE_STATE, {"items": [item(icms=icms)]})

    @settings(max_examples=30)
    @given(share=may.STATE_SHARE)
    def test_of_the_buyers_state_fits_the_schema(self, signer: Signer, share: dict[str, Any]) -> None:
        assert_fits_the_schema(signer, "normal", TO_A_CONSUMER, {"items": [item(stateShare=share)]})

    @pytest.mark.parametrize("name", OF_ANY_SALE)
    @settings(max_examples=15)
    @given(data=st.data())
    def test_of_a_sale_fits_the_schema(self, signer: Signer, name: str, data: st.DataObject) -> None:
        assert_fits_the_schema(signer, "normal", IN_THE_STATE, {name: data.draw(OF_ANY_SALE[name])})

    @pytest.mark.parametrize("name", OF_A_CARRIAGE)
    @settings(max_examples=15)
    @given(data=st.data())
    def test_of_a_carriage_fits_the_schema(self, signer: Signer, name: str, data: st.DataObject) -> None:
        freight = data.draw(may.CARRIAGE) | {name: data.draw(OF_A_CARRIAGE[name])}
        assert_fits_the_schema(signer, "normal", IN_THE_STATE, {"freight": freight})


class TestWhatASaleAbroadHasNot:
    @pytest.mark.parametrize(
        "more",
        [
            {"items": [item(stateShare={"internalRate": 18})]},
            {"items": [item(icms={"cst": "00"})], "destination": "interstate"},
        ],
        ids=["share of the buyer's state", "rate between states"],
    )
    def test_is_refused(self, signer: Signer, more: dict[str, Any]) -> None:
        assert isinstance(issued_nfe(signer, by=seller("normal"), **EXPORTED | more), tuple)


class TestOptionalFields:
    @pytest.mark.parametrize(
        "good",
        [IN_THE_STATE, TO_A_CONSUMER, TO_A_COMPANY, EXPORTED],
        ids=["in the state", "to a consumer elsewhere", "to a company elsewhere", "exported"],
    )
    @settings(max_examples=80)
    @given(data=st.data())
    def test_of_an_nfe_fit_the_schema_together(
        self, signer: Signer, good: dict[str, Any], data: st.DataObject
    ) -> None:
        regime = data.draw(one(*REGIMES))
        assert_fits_the_schema(signer, regime, good, data.draw(sale_with_more(regime, OF_AN_NFE)))

    @settings(max_examples=100)
    @given(data=st.data())
    def test_of_an_nfce_fit_the_schema_together(self, signer: Signer, data: st.DataObject) -> None:
        regime = data.draw(one(*REGIMES))
        more = data.draw(sale_with_more(regime, OF_AN_NFCE))
        request = NfceRequest.model_validate(NFCE_BODY | more)
        made = nfce_document.compose(request, seller(regime), emission(), SOFTWARE)
        assert not made.problems, made.problems
        assert schema_problems(made.invoice, signer, is_receipt=True) == ()
        assert against_the_schema(issued_nfce(signer, by=seller(regime), **more)) == []

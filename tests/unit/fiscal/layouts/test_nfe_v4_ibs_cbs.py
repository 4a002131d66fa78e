"""The groups of the tax reform and the totals: accepted by the official XSD, found again from an element."""

from copy import deepcopy
from dataclasses import MISSING, fields
from decimal import Decimal
from importlib.resources import as_file, files
from typing import Any

import pytest
from lxml import etree

from carimbo.fiscal.layouts.layout import layout_of
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import (
    Cbs,
    CityIbs,
    CreditTransfer,
    FreeZoneCredit,
    IbsCbs,
    OperationCredit,
    PeriodAdjustment,
    PresumedCredit,
    SelectiveTax,
    StateIbs,
    TaxedByRate,
)
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs_single_phase import SinglePhase
from carimbo.fiscal.layouts.nfe_v4.totals import InvoiceTotals, Totals
from carimbo.fiscal.layouts.paths import groups_in, locate, problems
from carimbo.fiscal.layouts.records import written

XSD = "{http://www.w3.org/2001/XMLSchema}"
NAMESPACE = "http://www.portalfiscal.inf.br/nfe"
CODES = {
    "CST": "000",
    "CSTReg": "000",
    "CSTIS": "000",
    "cClassTrib": "000001",
    "cClassTribReg": "000001",
    "cClassTribIS": "000001",
    "indDoacao": "1",
    "tpALCZFMCBS": "2",
    "nProcSuframa": "12345678",
    "competApur": "2026-11",
    "cCredPres": "01",
    "tpCredPresIBSZFM": "4",
    "uTrib": "KG",
}


def full(record: type, **given: Any) -> Any:
    """A record with a value in every field, those that are given and samples for the others."""
    return record(
        **{name: sample(record, name) for name in layout_of(record).elements if name not in given}, **given
    )


def least(record: type, **given: Any) -> Any:
    """A record with nothing but what its declaration requires, and what is given."""
    missing = [field.name for field in fields(record) if field.default is MISSING and field.name not in given]
    return record(**{name: sample(record, name) for name in missing}, **given)


def sample(record: type, name: str) -> Any:
    element = layout_of(record).elements[name]
    if element.kind == "child":
        return full(groups_in(record)[name][0])
    return Decimal("1.5") if element.kind == "decimal" else CODES[element.tag]


def credit(**alternative: Decimal) -> PresumedCredit:
    return PresumedCredit(rate=Decimal(5), **alternative)


NOW, LATER = credit(amount=Decimal(2)), credit(conditional_amount=Decimal(3))
BY_QUANTITY: SinglePhase = full(SinglePhase, ibs_by_value=None, cbs_by_value=None)
BY_VALUE: SinglePhase = full(SinglePhase, ibs_by_quantity=None, cbs_by_quantity=None)
USUAL = IbsCbs(
    cst="000",
    tax_class="000001",
    by_rate=TaxedByRate(
        base=Decimal("74.42"),
        state=StateIbs(rate=Decimal("0.1"), amount=Decimal("0.07")),
        city=CityIbs(rate=Decimal(0), amount=Decimal(0)),
        ibs_amount=Decimal("0.07"),
        cbs=Cbs(rate=Decimal("0.9"), amount=Decimal("0.67")),
    ),
)
BUSY = least(
    IbsCbs,
    is_donation="1",
    by_rate=full(TaxedByRate),
    credit_reversal=sample(IbsCbs, "credit_reversal"),
    operation_credit=OperationCredit(base=Decimal(100), code="01", ibs=NOW, cbs=LATER),
)

CASES: dict[str, Any] = {
    "no tax at all": least(IbsCbs, cst="410", tax_class="410001"),
    "the usual rates": USUAL,
    "rates with every reduction and credit": BUSY,
    "fuel by quantity": least(IbsCbs, cst="620", tax_class="620001", single_phase=BY_QUANTITY),
    "fuel by value": least(IbsCbs, cst="620", tax_class="620001", single_phase=BY_VALUE),
    "fuel taxed before": least(IbsCbs, single_phase=least(SinglePhase)),
    "transfer of credits": least(IbsCbs, cst="800", credit_transfer=full(CreditTransfer)),
    "adjustment of a period": least(IbsCbs, cst="811", period_adjustment=full(PeriodAdjustment)),
    "credit of the free zone": least(IbsCbs, cst="810", free_zone_credit=full(FreeZoneCredit)),
    "no selective tax": least(SelectiveTax),
    "selective tax by value": full(SelectiveTax, unit_rate=None, unit=None, quantity=None),
    "selective tax by value and quantity": full(SelectiveTax),
    "all totals": full(Totals),
    "totals of the old taxes": least(Totals, invoice=least(InvoiceTotals)),
}


@pytest.fixture(scope="module")
def schema() -> etree.XMLSchema:
    """The official layout, with two of its groups moved up to where a schema can validate them alone."""
    with as_file(files("nfelib") / "nfe/schemas/v4_0") as folder:
        tree = etree.parse(folder / "leiauteNFe_v4.00.xsd")
    for name in ("imposto", "total"):
        element = deepcopy(next(one for one in tree.iter(f"{XSD}element") if one.get("name") == name))
        element.attrib.clear()
        element.set("name", name)
        tree.getroot().append(element)
    return etree.XMLSchema(tree)


def in_its_place(record: Any) -> etree._Element:
    text = written(record) if isinstance(record, Totals) else f"<imposto>{written(record)}</imposto>"
    return etree.fromstring(text.replace(">", f' xmlns="{NAMESPACE}">', 1))


def filled(record: Any) -> set[tuple[type, str]]:
    """Every field that has a value, in a record and in those inside it."""
    found = {(type(record), name) for name in layout_of(record).elements if getattr(record, name) is not None}
    inner = [getattr(record, name) for _, name in found]
    return found.union(*(filled(one) for one in inner if hasattr(one, "__layout__")))


class TestWritten:
    @pytest.mark.parametrize("record", CASES.values(), ids=CASES)
    def test_the_official_schema_accepts(self, record: Any, schema: etree.XMLSchema) -> None:
        schema.assertValid(in_its_place(record))
        assert list(problems(record)) == []

    def test_the_official_schema_is_really_asked(self, schema: etree.XMLSchema) -> None:
        impossible = PeriodAdjustment(period="2026-13", ibs_amount=Decimal(1), cbs_amount=Decimal(1))
        assert not schema.validate(in_its_place(least(IbsCbs, period_adjustment=impossible)))

    def test_the_cases_leave_no_field_out(self) -> None:
        written_fields = set().union(*map(filled, CASES.values()))
        seen = {record for record, _ in written_fields}
        assert {(record, name) for record in seen for name in layout_of(record).elements} == written_fields

    def test_rates_have_four_decimals_and_amounts_two(self) -> None:
        assert written(USUAL) == (
            "<IBSCBS><CST>000</CST><cClassTrib>000001</cClassTrib><gIBSCBS><vBC>74.42</vBC>"
            "<gIBSUF><pIBSUF>0.1000</pIBSUF><vIBSUF>0.07</vIBSUF></gIBSUF>"
            "<gIBSMun><pIBSMun>0.0000</pIBSMun><vIBSMun>0.00</vIBSMun></gIBSMun><vIBS>0.07</vIBS>"
            "<gCBS><pCBS>0.9000</pCBS><vCBS>0.67</vCBS></gCBS></gIBSCBS></IBSCBS>"
        )


class TestProblems:
    def test_a_rate_with_too_many_decimals_is_told_by_its_place(self) -> None:
        wrong = least(IbsCbs, by_rate=full(TaxedByRate, cbs=Cbs(rate=Decimal("0.90001"), amount=Decimal(1))))
        (problem,) = problems(wrong, "items[0].ibsCbs")
        assert (problem.path, problem.source) == (
            "items[0].ibsCbs.cbs.rate",
            "XSD, elemento pCBS",
        )

    def test_a_class_that_is_too_long_is_told_under_the_name_that_callers_know(self) -> None:
        (problem,) = problems(least(IbsCbs, tax_class="0000001"))
        assert problem.path == "taxClassCode"


class TestLocate:
    @pytest.mark.parametrize(
        ("record", "element", "path"),
        [
            (IbsCbs, "CST", "cst"),
            (IbsCbs, "cClassTrib", "taxClassCode"),
            (IbsCbs, "gIBSCBS gIBSUF pIBSUF", "state.rate"),
            (IbsCbs, "gIBSCBS gCBS gRed pAliqEfet", "cbs.reduction.effectiveRate"),
            (
                IbsCbs,
                "gIBSCBSMono gCBSMonoAdRem gMonoReten qBCMonoReten",
                "singlePhase.cbsByQuantity.withholding.quantity",
            ),
            (SelectiveTax, "uTrib", "unit"),
            (Totals, "ICMSTot vNF", "amount"),
            (Totals, "IBSCBSTot gIBS gIBSUF vIBSUF", "ibsCbs.ibs.state.amount"),
            (Totals, "vNFTot", "amountWithReformTaxes"),
        ],
    )
    def test_an_element_leads_to_its_field(self, record: type, element: str, path: str) -> None:
        assert locate(record, [(tag, 0) for tag in element.split()]) == path

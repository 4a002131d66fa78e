"""The groups of the tax reform and the totals: accepted by the official XSD, located from an element."""

from copy import deepcopy
from dataclasses import MISSING, fields
from decimal import Decimal
from importlib.resources import as_file, files
from typing import Any

import pytest
from lxml import etree

from carimbo.fiscal.layouts.dfe_v1.ibs_cbs import CityIbs, StateIbs
from carimbo.fiscal.layouts.json_form import groups_in, path_of_tags, unwritable_values
from carimbo.fiscal.layouts.layout import layout_of, to_xml
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import (
    Cbs,
    CreditTransfer,
    FreeZoneCredit,
    IbsCbs,
    OperationCredit,
    PeriodAdjustment,
    PresumedCredit,
    SelectiveTax,
    SinglePhase,
    TaxedByRate,
)
from carimbo.fiscal.layouts.nfe_v4.totals import InvoiceTotals, Totals

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
    """Returns a record with the given values and samples in all other fields."""
    return record(
        **{name: sample(record, name) for name in layout_of(record).elements if name not in given}, **given
    )


def least(record: type, **given: Any) -> Any:
    """Returns a record with the given values and samples in the other required fields."""
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
        element = deepcopy(
            next(candidate for candidate in tree.iter(f"{XSD}element") if candidate.get("name") == name)
        )
        element.attrib.clear()
        element.set("name", name)
        tree.getroot().append(element)
    return etree.XMLSchema(tree)


def in_its_place(record: Any) -> etree._Element:
    text = to_xml(record) if isinstance(record, Totals) else f"<imposto>{to_xml(record)}</imposto>"
    return etree.fromstring(text.replace(">", f' xmlns="{NAMESPACE}">', 1))


def filled(record: Any) -> set[tuple[type, str]]:
    """Returns every field that has a value, in a record and in its inner records."""
    filled_fields = {
        (type(record), name) for name in layout_of(record).elements if getattr(record, name) is not None
    }
    inner = [getattr(record, name) for _, name in filled_fields]
    return filled_fields.union(*(filled(value) for value in inner if hasattr(value, "__layout__")))


class TestWritten:
    @pytest.mark.parametrize("record", CASES.values(), ids=CASES)
    def test_group_is_accepted_by_the_official_schema(self, record: Any, schema: etree.XMLSchema) -> None:
        schema.assertValid(in_its_place(record))
        assert list(unwritable_values(record)) == []

    def test_official_schema_refuses_a_wrong_group(self, schema: etree.XMLSchema) -> None:
        impossible = PeriodAdjustment(period="2026-13", ibs_amount=Decimal(1), cbs_amount=Decimal(1))
        assert not schema.validate(in_its_place(least(IbsCbs, period_adjustment=impossible)))

    def test_cases_cover_every_field(self) -> None:
        written_fields = set().union(*map(filled, CASES.values()))
        seen = {record for record, _ in written_fields}
        assert {(record, name) for record in seen for name in layout_of(record).elements} == written_fields

    def test_rates_have_four_decimals_and_amounts_two(self) -> None:
        assert to_xml(USUAL) == (
            "<IBSCBS><CST>000</CST><cClassTrib>000001</cClassTrib><gIBSCBS><vBC>74.42</vBC>"
            "<gIBSUF><pIBSUF>0.1000</pIBSUF><vIBSUF>0.07</vIBSUF></gIBSUF>"
            "<gIBSMun><pIBSMun>0.0000</pIBSMun><vIBSMun>0.00</vIBSMun></gIBSMun><vIBS>0.07</vIBS>"
            "<gCBS><pCBS>0.9000</pCBS><vCBS>0.67</vCBS></gCBS></gIBSCBS></IBSCBS>"
        )


class TestProblems:
    def test_rate_with_too_many_decimals_is_reported_at_its_path(self) -> None:
        wrong = least(IbsCbs, by_rate=full(TaxedByRate, cbs=Cbs(rate=Decimal("0.90001"), amount=Decimal(1))))
        (problem,) = unwritable_values(wrong, "items[0].ibsCbs")
        assert (problem.path, problem.source) == (
            "items[0].ibsCbs.cbs.rate",
            "XSD, elemento pCBS",
        )

    def test_tax_class_that_is_too_long_is_reported_under_its_json_name(self) -> None:
        (problem,) = unwritable_values(least(IbsCbs, tax_class="0000001"))
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
    def test_element_leads_to_its_field(self, record: type, element: str, path: str) -> None:
        assert path_of_tags(record, [(tag, 0) for tag in element.split()]) == path

"""Goods from 2027 on: the price includes IBS and CBS, and PIS and COFINS are gone."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from carimbo.fiscal.calendar import CALENDAR, DatedRule
from carimbo.fiscal.emission import Emission
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.making import Composition
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_RATES, IbsCbsRate, ReformTax
from carimbo.fiscal.tables.table import use_tables_of
from carimbo.fiscal.tables.taxes import ICMS_BASES, IcmsBase
from unit.fiscal.goods.support import (
    NORMAL,
    company,
    composed_nfe,
    emission,
    item,
    nfce,
    nfe,
    refused,
    text_at,
)

NEW_YEAR = emission(issued_at=datetime.fromisoformat("2027-01-01T00:00:00-03:00"))
LAST_DAY = emission(issued_at=datetime.fromisoformat("2026-12-31T23:59:59-03:00"))
REFORM = "det/imposto/IBSCBS/gIBSCBS"
OLD_KEY = "35261211222333000181550010000000011123456802"
SIMPLES_REGULAR = company(ibsCbsRegime=[{"halfYear": "2027-1", "regime": "regular"}])


@pytest.fixture
def imaginary_cbs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rate of the worked example, which no act has fixed."""
    rows = dict(IBS_CBS_RATES.rows)
    key = next(key for key, row in rows.items() if row.rate is None)
    rows[key] = IbsCbsRate(ReformTax.CBS, key[1], None, Decimal("8.7"))
    monkeypatch.setattr(IBS_CBS_RATES, "rows", rows)


@pytest.fixture
def icms_without_new_taxes(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {key: IcmsBase(*key, None, False, "lei do estado") for key in ICMS_BASES.rows}
    monkeypatch.setattr(ICMS_BASES, "rows", rows)


@pytest.fixture
def contributions_left_out(tmp_path: Path) -> Iterator[None]:
    """An operator's calendar with a date for the end of the groups."""
    rule = DatedRule.PIS_COFINS_GROUPS_LEFT_OUT
    since = CALENDAR[DatedRule.PIS_COFINS_ENDED].since
    rows = [replace(row, since=since) if row.name == rule else row for row in CALENDAR.values()]
    text = CALENDAR.text_of("teste", CALENDAR.about.date, rows)
    (tmp_path / "calendar.csv").write_text(text, encoding="utf-8")
    rates = IBS_CBS_RATES.rows
    use_tables_of(tmp_path)
    IBS_CBS_RATES.rows = rates
    yield
    use_tables_of(None)


def sold(price: object = 100, *, by: Company = NORMAL, under: Emission = NEW_YEAR, **changes: Any) -> Invoice:
    """An NF-e of one item that costs the buyer this much."""
    return nfe(by=by, under=under, items=[item(quantity=1, unitValue=price, **changes)])


def amounts(invoice: Invoice) -> list[str | None]:
    """ICMS, then base, both shares of IBS, and CBS of the first item."""
    tags = ("vBC", "gIBSUF/vIBSUF", "gIBSMun/vIBSMun", "gCBS/vCBS")
    return [
        text_at(invoice, "det/imposto/ICMS/*/vICMS"),
        *(text_at(invoice, f"{REFORM}/{tag}") for tag in tags),
    ]


class TestTheSplit:
    @pytest.mark.usefixtures("imaginary_cbs")
    def test_price_with_new_taxes_in_the_icms_base_splits_as_in_the_worked_example(self) -> None:
        assert amounts(sold()) == ["18.00", "75.36", "0.04", "0.04", "6.56"]

    @pytest.mark.usefixtures("imaginary_cbs", "icms_without_new_taxes")
    def test_price_without_new_taxes_in_the_icms_base_splits_as_in_the_worked_example(self) -> None:
        invoice = sold()
        assert text_at(invoice, "det/imposto/ICMS/*/vBC") == "93.27"
        assert amounts(invoice) == ["16.79", "76.48", "0.04", "0.04", "6.65"]

    @pytest.mark.usefixtures("cbs_of_2027")
    @pytest.mark.parametrize("price", [0.01, 0.07, 1, 9.99, 33.33, 1234.56, 99999.99])
    def test_parts_of_the_price_add_up_to_the_cent(self, price: float) -> None:
        parts = [Decimal(part or 0) for part in amounts(sold(price))]
        assert sum(parts) == Decimal(str(price))

    @pytest.mark.usefixtures("cbs_of_2027")
    def test_total_and_payment_are_what_the_buyer_pays(self) -> None:
        invoice = sold(35.9)
        totals = ("det/vItem", "total/ICMSTot/vProd", "total/ICMSTot/vNF", "total/vNFTot", "pag/detPag/vPag")
        assert [text_at(invoice, path) for path in totals] == ["35.90"] * 5

    @pytest.mark.usefixtures("cbs_of_2027")
    def test_split_uses_the_reduced_rates_of_the_tax_class(self) -> None:
        invoice = sold(ibsCbs={"taxClassCode": "200034"})
        assert text_at(invoice, f"{REFORM}/gCBS/gRed/pAliqEfet") == "4.4440"
        assert sum(Decimal(part or 0) for part in amounts(invoice)) == 100

    @pytest.mark.usefixtures("cbs_of_2027")
    def test_split_uses_the_base_of_the_caller(self) -> None:
        assert text_at(sold(ibsCbs={"base": 50}), f"{REFORM}/vBC") == "50.00"

    @pytest.mark.usefixtures("cbs_of_2027")
    def test_base_of_the_ipi_excludes_the_new_taxes(self) -> None:
        invoice = sold(ipi={"cst": "50", "rate": 10})
        within = sum(Decimal(part or 0) for part in amounts(invoice)[2:])
        assert Decimal(text_at(invoice, "det/imposto/IPI/IPITrib/vBC") or 0) == 100 - within

    @pytest.mark.usefixtures("cbs_of_2027")
    def test_icms_base_of_a_consumer_includes_the_charged_ipi(self) -> None:
        bought = item(quantity=1, unitValue=100, ipi={"cst": "50", "rate": 10})
        invoice = nfe(by=NORMAL, under=NEW_YEAR, finalConsumer=True, items=[bought])
        ipi = Decimal(text_at(invoice, "det/imposto/IPI/IPITrib/vIPI") or 0)
        assert Decimal(text_at(invoice, "det/imposto/ICMS/*/vBC") or 0) == 100 + ipi

    @pytest.mark.usefixtures("cbs_of_2027")
    def test_selective_tax_stays_in_the_base(self) -> None:
        tax = {"cst": "000", "taxClassCode": "000001", "base": 50, "rate": 10, "amount": 5}
        composition = composed_nfe(by=NORMAL, under=NEW_YEAR, items=[item(unitValue=100, selectiveTax=tax)])
        assert isinstance(composition, Composition)
        assert any("imposto seletivo" in warning for warning in composition.warnings)
        assert amounts(composition.document) == amounts(sold(100 * 2))

    @pytest.mark.usefixtures("cbs_of_2027")
    def test_split_of_a_receipt_is_the_same(self) -> None:
        invoice = nfce(by=NORMAL, under=NEW_YEAR, items=[item(quantity=1, unitValue=100)])
        assert amounts(invoice) == amounts(sold())

    @pytest.mark.usefixtures("cbs_of_2027")
    def test_split_of_a_public_purchase_is_left_to_the_caller(self) -> None:
        purchase = {"entityType": "1", "rateReduction": 10, "operationType": "1"}
        problems = refused(composed_nfe(by=NORMAL, under=NEW_YEAR, governmentPurchase=purchase))
        fields = ("base", "state", "city", "ibsAmount", "cbs")
        assert list(problems) == [f"items[0].ibsCbs.{field}" for field in fields]
        assert "compra governamental" in problems["items[0].ibsCbs.base"]


class TestTheDayBefore:
    def test_new_taxes_are_not_in_the_price_before_2027(self) -> None:
        invoice = sold(under=LAST_DAY)
        assert amounts(invoice) == ["18.00", "74.42", "0.07", "0.00", "0.67"]
        assert text_at(invoice, "det/imposto/PIS/*/CST") == "01"

    def test_day_of_the_document_counts_in_its_own_offset(self) -> None:
        in_acre = emission(issued_at=datetime.fromisoformat("2026-12-31T23:30:00-05:00"))
        assert text_at(sold(under=in_acre), f"{REFORM}/gIBSUF/pIBSUF") == "0.1000"


class TestUnknownRate:
    def test_unknown_rate_refuses_the_document_and_names_file_and_field(self) -> None:
        composition = composed_nfe(by=NORMAL, under=NEW_YEAR)
        assert isinstance(composition, tuple)
        [problem] = composition
        assert (problem.code, problem.path) == ("RATE_UNKNOWN", "items[0].ibsCbs.cbs.rate")
        assert "ibs_cbs_rates.csv, linha cbs, coluna rate" in problem.message
        assert "CARIMBO_TABLES_FOLDER" in (problem.hint or "")

    def test_unknown_rate_may_be_given_by_the_caller_with_a_warning(self) -> None:
        composition = composed_nfe(by=NORMAL, under=NEW_YEAR, items=[item(ibsCbs={"cbs": {"rate": 9}})])
        assert isinstance(composition, Composition)
        assert any("ibsCbs: A alíquota da CBS é a informada" in warning for warning in composition.warnings)

    def test_unknown_rate_does_not_stop_the_simples(self) -> None:
        assert text_at(nfe(under=NEW_YEAR), "det/imposto/IBSCBS/CST") is None


class TestSimples:
    @pytest.mark.usefixtures("cbs_of_2027")
    def test_simples_in_the_regular_regime_states_the_taxes_as_the_normal_regime_does(self) -> None:
        invoice = sold(by=SIMPLES_REGULAR)
        assert text_at(invoice, "emit/CRT") == "1"
        assert amounts(invoice) == [None, "89.93", "0.04", "0.04", "9.99"]
        assert text_at(invoice, "det/imposto/PIS/*/CST") == "49"

    @pytest.mark.usefixtures("cbs_of_2027")
    @pytest.mark.parametrize("day", ["2026-12-31", "2027-07-01"])
    def test_simples_states_nothing_in_a_half_year_without_the_option(self, day: str) -> None:
        other_half = emission(issued_at=datetime.fromisoformat(f"{day}T10:00:00-03:00"))
        assert amounts(sold(by=SIMPLES_REGULAR, under=other_half)) == [None] * 5


@pytest.mark.usefixtures("cbs_of_2027")
class TestEndedContributions:
    def test_ended_contributions_are_written_without_amounts(self) -> None:
        invoice = sold()
        assert [text_at(invoice, f"det/imposto/{tax}/{tax}NT/CST") for tax in ("PIS", "COFINS")] == [
            "08",
            "08",
        ]
        assert text_at(invoice, "total/ICMSTot/vPIS") == "0.00"

    def test_ended_contributions_need_no_cst_in_operations_that_are_not_sales(self) -> None:
        moved = item(cfop="5949", icms={"cst": "41"}, ibsCbs={"taxClassCode": "410999"})
        assert text_at(nfe(by=NORMAL, under=NEW_YEAR, items=[moved]), "det/imposto/PIS/PISNT/CST") == "08"

    def test_ended_contributions_may_be_given_with_an_amount_of_zero(self) -> None:
        zero = {"cst": "01", "base": 100, "amount": 0}
        assert text_at(sold(pis=zero, cofins=zero), "det/imposto/PIS/PISAliq/vPIS") == "0.00"

    def test_ended_contributions_are_accepted_in_a_correction_without_references(self) -> None:
        taxes = {"pis": {"cst": "01"}, "cofins": {"cst": "01"}, "icms": {"cst": "00"}}
        back = item(quantity=1, unitValue=100, cfop="1202", ibsCbs={"taxClassCode": "000001"}, **taxes)
        invoice = nfe(by=NORMAL, under=NEW_YEAR, purpose="return", operation="inbound", items=[back])
        assert text_at(invoice, "det/imposto/PIS/PISAliq/vPIS") == "1.35"

    def test_ended_contributions_are_refused_with_the_full_rate(self) -> None:
        problems = refused(composed_nfe(by=NORMAL, under=NEW_YEAR, items=[item(pis={"cst": "01"})]))
        assert list(problems) == ["items[0].pis.cst"]

    def test_ended_contributions_may_be_given_as_zero(self) -> None:
        zero = {"cst": "01", "base": 0, "rate": 0}
        assert text_at(sold(pis=zero, cofins=zero), "det/imposto/PIS/PISAliq/vPIS") == "0.00"


@pytest.mark.usefixtures("cbs_of_2027", "contributions_left_out")
@pytest.mark.parametrize(
    "by", [NORMAL, company(), company(taxRegime="mei")], ids=["normal", "simples", "mei"]
)
def test_groups_of_ended_contributions_are_left_out_when_the_calendar_says_so(by: Company) -> None:
    invoice = sold(by=by)
    assert [text_at(invoice, f"det/imposto/{tax}/*/CST") for tax in ("PIS", "COFINS")] == [None, None]


@pytest.mark.usefixtures("cbs_of_2027")
class TestCorrections:
    def returned(self, key: str, **changes: Any) -> Invoice:
        """A return in 2027 of an item of the document with this key."""
        taxes = {"pis": {"cst": "01"}, "cofins": {"cst": "01"}, "icms": {"cst": "00"}}
        reform = {"ibsCbs": {"taxClassCode": "000001"}}
        back = {"accessKey": key, "position": 1}
        item_back = item(quantity=1, unitValue=100, cfop="5202", referencedItem=back, **taxes, **reform)
        return nfe(by=NORMAL, under=NEW_YEAR, purpose="return", items=[item_back], **changes)

    def test_correction_follows_the_day_of_the_document_that_an_item_refers_to(self) -> None:
        invoice = self.returned(OLD_KEY)
        assert amounts(invoice) == ["18.00", "74.42", "0.07", "0.00", "0.67"]
        assert text_at(invoice, "det/imposto/PIS/PISAliq/vPIS") == "1.35"

    def test_correction_of_a_document_before_2026_has_the_rates_of_its_own_day(self) -> None:
        key = OLD_KEY.replace("352612", "352510")
        assert text_at(self.returned(key), f"{REFORM}/gCBS/pCBS") == "11.1100"

    def test_correction_of_a_document_of_2026_may_leave_the_new_taxes_out(self) -> None:
        composition = composed_nfe(
            by=NORMAL,
            under=NEW_YEAR,
            purpose="complement",
            references=[{"accessKey": OLD_KEY}],
            items=[item(icms={"cst": "00"}, pis={"cst": "01"}, cofins={"cst": "01"})],
        )
        assert isinstance(composition, Composition)
        assert amounts(composition.document)[1:] == [None] * 4
        assert any("corrige um documento" in warning for warning in composition.warnings)

    def test_complement_with_new_taxes_has_the_rates_of_its_own_day(self) -> None:
        completed = item(
            icms={"cst": "00"}, pis={"cst": "01"}, cofins={"cst": "01"}, ibsCbs={"taxClassCode": "000001"}
        )
        invoice = nfe(
            by=NORMAL,
            under=NEW_YEAR,
            purpose="complement",
            references=[{"accessKey": OLD_KEY}],
            items=[completed],
        )
        assert text_at(invoice, f"{REFORM}/gCBS/pCBS") == "11.1100"

    def test_correction_of_a_document_of_2027_follows_2027(self) -> None:
        invoice = nfe(
            by=NORMAL,
            under=NEW_YEAR,
            purpose="complement",
            references=[{"accessKey": OLD_KEY.replace("3526", "3527").replace("2712", "2701")}],
            items=[item(quantity=1, unitValue=100, icms={"cst": "00"}, ibsCbs={"taxClassCode": "000001"})],
        )
        assert text_at(invoice, f"{REFORM}/gCBS/pCBS") == "11.1100"


@pytest.mark.usefixtures("cbs_of_2027")
class TestNetPrice:
    def test_net_price_gives_the_price_that_the_buyer_pays(self) -> None:
        invoice = nfe(by=NORMAL, under=NEW_YEAR, items=[_net(100)])
        # 100 * 1.1121 / 0.82
        assert text_at(invoice, "det/prod/vUnCom") == "135.6219512195"
        assert text_at(invoice, "det/prod/vProd") == "135.62"
        assert text_at(invoice, f"{REFORM}/vBC") == "100.00"

    @pytest.mark.usefixtures("icms_without_new_taxes")
    def test_net_price_follows_the_icms_base_of_the_state(self) -> None:
        invoice = nfe(by=NORMAL, under=NEW_YEAR, items=[_net(100)])
        # 100 / 0.82 + 100 * 11.21 %
        assert text_at(invoice, "det/prod/vProd") == "133.16"
        assert text_at(invoice, f"{REFORM}/vBC") == "100.00"

    def test_net_price_is_refused_before_prices_include_the_taxes(self) -> None:
        problems = refused(composed_nfe(by=NORMAL, under=LAST_DAY, items=[_net(10)]))
        assert "a partir de 01/01/2027" in problems["items[0].netUnitValue"]

    def test_net_price_is_refused_in_a_return_of_an_item_of_2026(self) -> None:
        back = _net(10) | {"cfop": "5202", "referencedItem": {"accessKey": OLD_KEY, "position": 1}}
        back |= {"icms": {"cst": "00"}, "pis": {"cst": "01"}, "cofins": {"cst": "01"}}
        problems = refused(composed_nfe(by=NORMAL, under=NEW_YEAR, purpose="return", items=[back]))
        assert list(problems) == ["items[0].netUnitValue"]

    def test_net_price_is_refused_where_taxes_take_the_whole_price(self) -> None:
        problems = refused(
            composed_nfe(by=NORMAL, under=NEW_YEAR, items=[_net(10) | {"icms": {"cst": "00", "rate": 100}}])
        )
        assert "preço inteiro" in problems["items[0].netUnitValue"]

    @pytest.mark.parametrize(
        "given",
        [
            {"icms": {"cst": "00", "fcpRate": 2, "fcpAmount": 3}},
            {"stateShare": {"destinationAmount": 11.41}},
            {"ibsCbs": {"taxClassCode": "510001", "cbs": {"deferral": {"rate": 50, "amount": 5}}}},
        ],
    )
    def test_net_price_is_refused_beside_amounts_of_an_unknown_price(self, given: dict[str, Any]) -> None:
        problems = refused(composed_nfe(by=NORMAL, under=NEW_YEAR, items=[_net(10) | given]))
        assert "valores informados" in problems["items[0].netUnitValue"]

    def test_net_price_gives_the_price_of_another_taxable_unit(self) -> None:
        sold_in_boxes = _net(100) | {"taxableUnit": "UN", "taxableQuantity": 10}
        invoice = nfe(by=NORMAL, under=NEW_YEAR, items=[sold_in_boxes])
        assert text_at(invoice, "det/prod/vUnTrib") == "13.5621951220"

    def test_net_price_is_refused_in_an_import(self) -> None:
        taxes = {"icms": {"cst": "00"}, "ibsCbs": {"taxClassCode": "000001"}}
        entered = _net(10) | {"cfop": "3102"} | taxes
        problems = refused(composed_nfe(by=NORMAL, under=NEW_YEAR, operation="inbound", items=[entered]))
        assert "importação" in problems["items[0].netUnitValue"]

    def test_net_price_is_refused_beside_the_price(self) -> None:
        problems = refused(composed_nfe(by=NORMAL, under=NEW_YEAR, items=[_net(10) | {"unitValue": 20}]))
        assert "vUnComLiq e vProdLiq" in problems["items[0].netUnitValue"]


def _net(price: float) -> dict[str, Any]:
    return {name: value for name, value in item(quantity=1).items() if name != "unitValue"} | {
        "netUnitValue": price
    }

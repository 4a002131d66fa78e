"""Formulas of PIS, COFINS and IPI, with figures worked out by hand."""

from decimal import Decimal

from carimbo.fiscal.company import PisCofinsRegime
from carimbo.fiscal.taxes.ipi import ipi_base
from carimbo.fiscal.taxes.item_value import ItemValue
from carimbo.fiscal.taxes.pis_cofins import GENERAL_RATES, contribution_base

VALUE = ItemValue(
    goods=Decimal("100.00"),
    freight=Decimal("10.00"),
    insurance=Decimal("2.00"),
    other=Decimal("3.00"),
    discount=Decimal("5.00"),
)


class TestContributions:
    def test_have_the_rates_of_their_regime(self) -> None:
        presumed, real = (
            GENERAL_RATES[PisCofinsRegime.CUMULATIVE],
            GENERAL_RATES[PisCofinsRegime.NON_CUMULATIVE],
        )
        assert (presumed.pis, presumed.cofins) == (Decimal("0.65"), Decimal("3.00"))
        assert (real.pis, real.cofins) == (Decimal("1.65"), Decimal("7.60"))

    def test_are_on_the_revenue_without_icms(self) -> None:
        assert contribution_base(Decimal("100.00"), Decimal("18.00")) == Decimal("82.00")


class TestItemValue:
    def test_of_the_operation_has_charges_in_and_discounts_out(self) -> None:
        assert VALUE.operation == Decimal("110.00")

    def test_is_the_base_of_ipi(self) -> None:
        assert ipi_base(VALUE) == Decimal("110.00")

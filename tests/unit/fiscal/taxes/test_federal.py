"""Formulas of PIS and COFINS and their base, with figures computed by hand."""

from decimal import Decimal

from carimbo.fiscal.parties.company import PisCofinsRegime
from carimbo.fiscal.taxes.icms import operation_value
from carimbo.fiscal.taxes.pis_cofins import GENERAL_RATES, contribution_base


class TestContributions:
    def test_contributions_have_the_rates_of_their_regime(self) -> None:
        presumed, real = (
            GENERAL_RATES[PisCofinsRegime.CUMULATIVE],
            GENERAL_RATES[PisCofinsRegime.NON_CUMULATIVE],
        )
        assert (presumed.pis, presumed.cofins) == (Decimal("0.65"), Decimal("3.00"))
        assert (real.pis, real.cofins) == (Decimal("1.65"), Decimal("7.60"))

    def test_base_of_contributions_is_the_revenue_without_icms(self) -> None:
        assert contribution_base(Decimal("100.00"), Decimal("18.00")) == Decimal("82.00")


class TestValueOfTheOperation:
    def test_operation_value_includes_charges_and_excludes_discounts(self) -> None:
        charges = (Decimal("10.00"), None, Decimal("5.00"))
        assert operation_value(Decimal(100), charges=charges, discount=Decimal("5.00")) == Decimal("110.00")

    def test_operation_value_without_charges_is_the_price(self) -> None:
        assert operation_value(Decimal("99.90")) == Decimal("99.90")

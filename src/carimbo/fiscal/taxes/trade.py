"""Who sells to whom, and from where to where: what the taxes of every item of a document depend on."""

from datetime import date
from decimal import Decimal
from typing import NamedTuple, Self

from carimbo.fiscal.calendar import DatedRule, RulesInForce, rules_on
from carimbo.fiscal.company import ApproximateTaxRates, Company, TaxRegime
from carimbo.fiscal.tables.ibs_cbs import IbsCbsRates, ibs_cbs_rates_on

ABROAD = "EX"
_REGIMES_OF_CSOSN = frozenset({TaxRegime.SIMPLES, TaxRegime.MEI})


class TaxDay(NamedTuple):
    """A day, and what the law says on it: amounts of a document follow one day."""

    day: date
    document: str
    """Name of the type of document."""
    rules: RulesInForce
    rates: IbsCbsRates
    """Standard rates of IBS and CBS."""
    price_holds_reform_taxes: bool
    """IBS, CBS and IS are within the price of an item (NT 2026.008)."""
    has_pis_cofins: bool
    has_pis_cofins_groups: bool
    """Items have groups of PIS and COFINS, be it without amounts."""

    @classmethod
    def of(cls, day: date, document: str) -> Self:
        """Returns the day for a type of document."""
        rules = rules_on(day, document)
        return cls(
            day=day,
            document=document,
            rules=rules,
            rates=ibs_cbs_rates_on(day),
            price_holds_reform_taxes=DatedRule.PRICE_HOLDS_IBS_CBS in rules,
            has_pis_cofins=DatedRule.PIS_COFINS_ENDED not in rules,
            has_pis_cofins_groups=DatedRule.PIS_COFINS_GROUPS_LEFT_OUT not in rules,
        )

    def on(self, day: date) -> "TaxDay":
        """Returns another day for the same type of document."""
        return TaxDay.of(day, self.document)


class Trade(NamedTuple):
    """The circumstances of a sale of goods."""

    company: Company
    destination_state: str
    """Letters of the state that the goods go to; `EX` for another country."""
    is_interstate: bool
    is_abroad: bool
    """The goods cross the border of the country, wherever the buyer lives."""
    is_sale: bool
    """Goods go out under a document of the usual purpose."""
    buyer_is_contributor: bool
    """Of ICMS: whoever has a state registration."""
    buyer_is_final: bool
    issue_day: TaxDay
    tax_day: TaxDay
    """The day of issue; in a correction, that of the document that it corrects."""
    government_reduction: Decimal | None = None
    """What a public buyer takes off the rates of IBS and CBS, in percent (LC 214/2025, art. 473)."""
    is_correction: bool = False
    """The document completes, adjusts or returns another, whose taxes it follows."""
    repeats_rates: bool = False
    """A correction with the rates of IBS and CBS of the other document, not of its own day."""
    may_lack_reform_taxes: bool = False
    """A correction without IBS and CBS, if the other document was issued before prices held them."""
    is_printed: bool = False
    """The buyer has the paper already, so the document says nothing beyond it."""
    has_only_ibs_cbs: bool = False
    """The document adjusts IBS and CBS: it has no other taxes unless the caller gives them."""

    @property
    def rate_day(self) -> TaxDay:
        """The day whose rates of IBS and CBS the authorities expect (NT 2025.002, UB18-10).

        A document of before there were such rates has none to be repeated.
        """
        has_rates = DatedRule.IBS_CBS_GROUP in self.tax_day.rules
        return self.tax_day if self.repeats_rates and has_rates else self.issue_day

    @property
    def is_spared_reform_taxes(self) -> bool:
        """Whether IBS and CBS need not be informed: a document of before 2027 is corrected (UB12-10)."""
        is_of_before = self.issue_day.price_holds_reform_taxes and not self.tax_day.price_holds_reform_taxes
        return self.may_lack_reform_taxes and is_of_before

    @property
    def is_export(self) -> bool:
        """Whether the goods leave the country."""
        return self.is_abroad and self.is_sale

    @property
    def is_shown_to_a_consumer(self) -> bool:
        """Whether the document must show a consumer the taxes in the price (Lei 12.741/2012, art. 1º)."""
        return self.is_sale and self.buyer_is_final and not self.is_abroad and not self.is_printed

    @property
    def approximate_tax_rates(self) -> ApproximateTaxRates | None:
        """The company's rates of the taxes in the price, where they are to be shown; None if all are zero."""
        rates = self.company.defaults.approximate_tax_rates
        return rates if rates and self.is_shown_to_a_consumer and rates.whole else None

    @property
    def uses_csosn(self) -> bool:
        """Whether ICMS is told by CSOSN: within the Simples Nacional, below its limit (MOC 7.0, C21)."""
        return self.company.tax_regime in _REGIMES_OF_CSOSN

    @property
    def owes_the_buyers_state(self) -> bool:
        """Whether the seller owes a share to the buyer's state (EC 87/2015, LC 190/2022).

        Companies of the Simples Nacional below its limit don't (STF, ADI 5464; LC 123/2006).
        """
        to_a_consumer = self.buyer_is_final and not self.buyer_is_contributor
        is_due = self.is_interstate and self.is_sale and to_a_consumer
        return is_due and not self.uses_csosn and not self.has_only_ibs_cbs

"""The circumstances of a sale that the taxes of all items depend on: parties, places and days."""

from calendar import monthrange
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import NamedTuple, Self

from carimbo.fiscal.calendar import DatedRule, RulesInForce, rules_on
from carimbo.fiscal.identity.access_key import KEY_LENGTH
from carimbo.fiscal.parties.company import ApproximateTaxRates, Company, TaxRegime
from carimbo.fiscal.tables.ibs_cbs import IbsCbsRates, ibs_cbs_rates_on

ABROAD = "EX"
_REGIMES_OF_CSOSN = frozenset({TaxRegime.SIMPLES, TaxRegime.MEI})


class TaxDay(NamedTuple):
    """A day with the rules and rates in force; all amounts of a document follow one day."""

    day: date
    document: str
    """The name of the document type."""
    rules: RulesInForce
    rates: IbsCbsRates
    """Standard rates of IBS and CBS."""
    price_holds_reform_taxes: bool
    """Whether the price of an item includes IBS, CBS and IS (NT 2026.008)."""
    has_pis_cofins: bool
    has_pis_cofins_groups: bool
    """Whether items have groups of PIS and COFINS, even without amounts."""

    @classmethod
    def of(cls, day: date, document: str) -> Self:
        """Returns a day for a document type."""
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
        """Returns another day for the same document type."""
        return TaxDay.of(day, self.document)


_YEAR, _MONTH = slice(2, 4), slice(4, 6)
_CENTURY = 2000
_MONTHS = range(1, 13)


def day_of_key(access_key: str) -> date | None:
    """Returns the last day of the month in an access key; None if the key has no valid month."""
    year, month = access_key[_YEAR], access_key[_MONTH]
    if len(access_key) != KEY_LENGTH or not (year + month).isdecimal() or int(month) not in _MONTHS:
        return None
    last = monthrange(_CENTURY + int(year), int(month))[1]
    return date(_CENTURY + int(year), int(month), last)


def corrected_day(issued: TaxDay, access_keys: Iterable[str]) -> TaxDay:
    """Returns the tax day of the corrected document; that of the correction itself if there is no key.

    Of several documents the first one counts. Keys have only the month, which is enough: taxes change with
    the year.
    """
    days = [day for day in map(day_of_key, access_keys) if day]
    return issued.on(days[0]) if days and days[0] < issued.day else issued


class Trade(NamedTuple):
    """The circumstances of a sale of goods."""

    company: Company
    destination_state: str
    """The letters of the state that receives the goods; `EX` for another country."""
    is_interstate: bool
    is_abroad: bool
    """Whether the goods cross the border of the country, wherever the buyer lives."""
    is_sale: bool
    """Whether goods leave under a document with the normal purpose."""
    buyer_is_contributor: bool
    """Whether the buyer is a contributor of ICMS: with a state registration."""
    buyer_is_final: bool
    issue_day: TaxDay
    tax_day: TaxDay
    """The issue date; in a correction, that of the corrected document."""
    government_reduction: Decimal | None = None
    """The reduction of the IBS and CBS rates for a public buyer, in percent (LC 214/2025, art. 473)."""
    is_correction: bool = False
    """Whether the document complements, adjusts or returns another one, whose taxes it follows."""
    repeats_rates: bool = False
    """Whether a correction has the IBS and CBS rates of the other document, and not of its own day."""
    may_lack_reform_taxes: bool = False
    """Whether a correction may omit IBS and CBS if the other document precedes prices that include them."""
    is_printed: bool = False
    """Whether the buyer already has the printed document: then nothing is added to it."""
    has_only_ibs_cbs: bool = False
    """Whether the document adjusts IBS and CBS: other taxes only if the caller gives them."""

    @property
    def rate_day(self) -> TaxDay:
        """The day whose IBS and CBS rates the authorities expect (NT 2025.002, UB18-10).

        A document from before these rates existed has none to repeat.
        """
        has_rates = DatedRule.IBS_CBS_GROUP in self.tax_day.rules
        return self.tax_day if self.repeats_rates and has_rates else self.issue_day

    @property
    def is_spared_reform_taxes(self) -> bool:
        """Whether IBS and CBS may be omitted: a document from before 2027 is corrected (UB12-10)."""
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
        """The company's rates of taxes in the price, if the document must show them; None if all are zero."""
        rates = self.company.defaults.approximate_tax_rates
        return rates if rates and self.is_shown_to_a_consumer and rates.whole else None

    @property
    def uses_csosn(self) -> bool:
        """Whether ICMS has CSOSN codes: in Simples Nacional, below its limit (MOC 7.0, C21)."""
        return self.company.tax_regime in _REGIMES_OF_CSOSN

    @property
    def owes_the_buyers_state(self) -> bool:
        """Whether the seller owes a share to the buyer's state (EC 87/2015, LC 190/2022).

        Companies of Simples Nacional below its limit do not (STF, ADI 5464; LC 123/2006).
        """
        to_a_consumer = self.buyer_is_final and not self.buyer_is_contributor
        is_due = self.is_interstate and self.is_sale and to_a_consumer
        return is_due and not self.uses_csosn and not self.has_only_ibs_cbs

"""The input of the rules of NF-e and NFC-e, their rule book, and codes that many rules use."""

from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from typing import Final

from carimbo.fiscal import rules
from carimbo.fiscal.calendar import RulesInForce, rules_on
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.goods.request import GoodsRequest
from carimbo.fiscal.goods.rules.sums import ReformSums, Sums
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice, Item
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.rules import At, Check, RuleBook
from carimbo.fiscal.tables.ibs_cbs import IbsCbsRates, ibs_cbs_rates_on

_OWNER_LENGTH = 14
_TYPE_NAMES = {"55": "nfe", "65": "nfce"}


class RuleInput:
    """A document with its request, issuer and time, as rules read it; codes are those of the XML."""

    def __init__(
        self,
        invoice: Invoice,
        request: GoodsRequest,
        company: Company,
        now: datetime,
        *,
        is_composed: bool = True,
    ) -> None:
        """Takes a document that was composed here from the request, or one made by another program."""
        identification = invoice.identification
        self.invoice: Final = invoice
        self.request: Final = request
        self.company: Final = company
        self.now: Final = now
        self.is_composed: Final = is_composed
        self.model: Final = identification.model
        """55 NF-e, 65 NFC-e."""
        self.document_type: Final = _TYPE_NAMES[identification.model]
        """The name of the document type."""
        self.direction: Final = identification.direction
        """0 inbound, 1 outbound (`tpNF`)."""
        self.purpose: Final = identification.purpose
        """1 normal, 2 complement, 3 adjustment, 4 return, 5 credit, 6 debit (`finNFe`)."""
        self.destination: Final = identification.destination
        """1 within the state, 2 to another state, 3 abroad (`idDest`)."""
        self.presence: Final = identification.presence
        self.is_final: Final = identification.final_consumer == "1"
        self.regime: Final = invoice.issuer.tax_regime
        """1 Simples, 2 Simples above its limit, 3 normal, 4 MEI (`CRT`)."""
        self.recipient: Final = invoice.recipient
        self.seller_state: Final = invoice.issuer.address.state

    @cached_property
    def contribution(self) -> str | None:
        """1 contributor, 2 exempt from registration, 9 neither (`indIEDest`); None without a recipient."""
        return self.recipient.icms_contributor if self.recipient else None

    @cached_property
    def buyer_state(self) -> str | None:
        """Letters of the buyer's state, `EX` abroad; None without an address."""
        return self.recipient.address.state if self.recipient and self.recipient.address else None

    @property
    def environment(self) -> Environment:
        """The environment of the document."""
        in_production = self.invoice.identification.environment == Environment.PRODUCTION.code
        return Environment.PRODUCTION if in_production else Environment.HOMOLOGATION

    @cached_property
    def key_without_digit(self) -> str:
        """The access key without its check digit, built from the fields of the document."""
        parts, issuer = self.invoice.identification, self.invoice.issuer
        owner = (issuer.cnpj or issuer.cpf or "").zfill(_OWNER_LENGTH)
        month = f"{parts.issued_at.year % 100:02d}{parts.issued_at.month:02d}"
        number = f"{parts.series:03d}{parts.number:09d}{parts.emission_type}{parts.numeric_code}"
        return f"{parts.state_code}{month}{owner}{parts.model}{number}"

    @cached_property
    def rules_in_force(self) -> RulesInForce:
        """The dated rules of the day of issue, in the time zone of the document."""
        return rules_on(self.invoice.identification.issued_at.date(), self.document_type)

    @cached_property
    def reform_rates(self) -> IbsCbsRates:
        """The general rates of IBS and CBS on the day of issue."""
        return ibs_cbs_rates_on(self.invoice.identification.issued_at.date())

    @cached_property
    def sums(self) -> Sums:
        """The sums of the items."""
        return Sums.of(self.invoice.items)

    @cached_property
    def reform_sums(self) -> ReformSums:
        """The sums of IBS and CBS of the items."""
        return ReformSums.of(self.invoice.items)


NFE, NFCE = "55", "65"
BOTH = (NFE, NFCE)
INBOUND, OUTBOUND = "0", "1"
"""Directions (`tpNF`)."""
NORMAL, COMPLEMENT, ADJUSTMENT, RETURN, CREDIT, DEBIT = "1", "2", "3", "4", "5", "6"
"""Purposes (`finNFe`)."""
CONTRIBUTOR, EXEMPT_CONTRIBUTOR, NON_CONTRIBUTOR = "1", "2", "9"
"""Whether the recipient contributes ICMS (`indIEDest`)."""
NORMAL_REGIME, MEI = "3", "4"
"""Tax regimes (`CRT`)."""

DocumentCheck = rules.DocumentCheck[RuleInput]

ItemCheck = Callable[[Item, RuleInput], At | None]
"""Returns the place where an item breaks the rule; called for every item, so it has to be fast."""


class GoodsRuleBook(RuleBook[Check]):
    """Rules of one subject, for both models unless a rule names its own.

    Only documents made by other programs can break the rules of an `external` book: validation or composition
    ensures them for documents composed here. Those of a book of `given_taxes` are ensured for items whose
    request gives no taxes, because composition computes them by the same tables and formulas.
    """

    def __init__(
        self,
        *,
        when: Callable[[RuleInput], bool] | None = None,
        external: bool = False,
        given_taxes: bool = False,
    ) -> None:
        super().__init__(when=when, models=BOTH)
        self.is_for_given_taxes = given_taxes
        self.is_for_external = external

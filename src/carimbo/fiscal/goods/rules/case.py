"""A document before the rules: with what was asked for, who issues and when."""

from datetime import datetime
from functools import cached_property
from typing import Final

from carimbo.fiscal.calendar import RulesInForce, rules_on
from carimbo.fiscal.company import Company
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.goods.rules.reform_sums import ReformSums
from carimbo.fiscal.goods.rules.sums import Sums
from carimbo.fiscal.goods.sale import SaleBody
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.tables.ibs_cbs import IbsCbsRates, ibs_cbs_rates_on

_OWNER_LENGTH = 14
_TYPE_NAMES = {"55": "nfe", "65": "nfce"}


class Case:
    """What every rule may look at; codes of the layout are as the XML will have them."""

    def __init__(
        self,
        invoice: Invoice,
        request: SaleBody,
        company: Company,
        now: datetime,
        *,
        is_composed: bool = True,
    ) -> None:
        """Bring a document before the rules: composed of the request, or made elsewhere and handed over."""
        identification = invoice.identification
        self.invoice: Final = invoice
        self.request: Final = request
        self.company: Final = company
        self.now: Final = now
        self.is_composed: Final = is_composed
        self.model: Final = identification.model
        """55 NF-e, 65 NFC-e."""
        self.document: Final = _TYPE_NAMES[identification.model]
        """The name of the type of document."""
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
        """Where the document is valid, or not."""
        in_production = self.invoice.identification.environment == Environment.PRODUCTION.code
        return Environment.PRODUCTION if in_production else Environment.HOMOLOGATION

    @cached_property
    def key_without_digit(self) -> str:
        """What the fields make of the access key, whatever they say."""
        parts, issuer = self.invoice.identification, self.invoice.issuer
        owner = (issuer.cnpj or issuer.cpf or "").zfill(_OWNER_LENGTH)
        month = f"{parts.issued_at.year % 100:02d}{parts.issued_at.month:02d}"
        number = f"{parts.series:03d}{parts.number:09d}{parts.emission_type}{parts.numeric_code}"
        return f"{parts.state_code}{month}{owner}{parts.model}{number}"

    @cached_property
    def rules_in_force(self) -> RulesInForce:
        """The dated rules of the day of issue, in the document's own offset."""
        return rules_on(self.invoice.identification.issued_at.date(), self.document)

    @cached_property
    def reform_rates(self) -> IbsCbsRates:
        """General rates of IBS and CBS on the day of issue."""
        return ibs_cbs_rates_on(self.invoice.identification.issued_at.date())

    @cached_property
    def sums(self) -> Sums:
        """What the items add up to."""
        return Sums.of(self.invoice.items)

    @cached_property
    def reform_sums(self) -> ReformSums:
        """What IBS and CBS of the items add up to."""
        return ReformSums.of(self.invoice.items)

"""A document before the rules: with what was asked for, who issues and when."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from carimbo.fiscal.company import Company, Environment
from carimbo.fiscal.goods.rules.reform_sums import ReformSums
from carimbo.fiscal.goods.rules.sums import Sums
from carimbo.fiscal.goods.sale import SaleBody
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.layouts.nfe_v4.parties import Recipient
from carimbo.fiscal.tables.ibs_cbs import IbsCbsRates, ibs_cbs_rates_on

_OWNER_LENGTH = 14


@dataclass(frozen=True)
class Case:
    """What every rule may look at; codes of the layout are as the XML will have them."""

    invoice: Invoice
    request: SaleBody
    company: Company
    now: datetime
    is_composed: bool
    """Whether it was composed of the request, or made elsewhere and only handed over with it."""
    environment: Environment
    model: str
    """55 NF-e, 65 NFC-e."""
    direction: str
    """0 inbound, 1 outbound (`tpNF`)."""
    purpose: str
    """1 normal, 2 complement, 3 adjustment, 4 return, 5 credit, 6 debit (`finNFe`)."""
    destination: str
    """1 within the state, 2 to another state, 3 abroad (`idDest`)."""
    presence: str
    is_final: bool
    regime: str
    """1 Simples, 2 Simples above its limit, 3 normal, 4 MEI (`CRT`)."""
    recipient: Recipient | None
    contribution: str | None
    """1 contributor, 2 exempt from registration, 9 neither (`indIEDest`); None without a recipient."""
    seller_state: str
    buyer_state: str | None
    """Letters of the buyer's state, `EX` abroad; None without an address."""

    @cached_property
    def key_without_digit(self) -> str:
        """What the fields make of the access key, whatever they say."""
        parts, issuer = self.invoice.identification, self.invoice.issuer
        owner = (issuer.cnpj or issuer.cpf or "").zfill(_OWNER_LENGTH)
        month = f"{parts.issued_at.year % 100:02d}{parts.issued_at.month:02d}"
        number = f"{parts.series:03d}{parts.number:09d}{parts.emission_type}{parts.numeric_code}"
        return f"{parts.state_code}{month}{owner}{parts.model}{number}"

    @cached_property
    def reform_rates(self) -> IbsCbsRates | None:
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

    @classmethod
    def of(
        cls, invoice: Invoice, request: SaleBody, company: Company, now: datetime, *, is_composed: bool = True
    ) -> "Case":
        """Bring a composed document before the rules."""
        identification, recipient = invoice.identification, invoice.recipient
        in_production = identification.environment == Environment.PRODUCTION.code
        return cls(
            invoice=invoice,
            request=request,
            company=company,
            now=now,
            is_composed=is_composed,
            environment=Environment.PRODUCTION if in_production else Environment.HOMOLOGATION,
            model=identification.model,
            direction=identification.direction,
            purpose=identification.purpose,
            destination=identification.destination,
            presence=identification.presence,
            is_final=identification.final_consumer == "1",
            regime=invoice.issuer.tax_regime,
            recipient=recipient,
            contribution=recipient.icms_contributor if recipient else None,
            seller_state=invoice.issuer.address.state,
            buyer_state=recipient.address.state if recipient and recipient.address else None,
        )

"""What the service costs, and what is taken off before the tax (`valores`)."""

from datetime import date
from decimal import Decimal

from carimbo.fiscal.layouts.dps_v1.parties import Person
from carimbo.fiscal.layouts.dps_v1.taxes import Taxes
from carimbo.fiscal.layouts.group import INLINE, child, children, day, decimal, group, text


@group("vServPrest")
class ServiceAmount:
    """`vServPrest`: the price."""

    received: Decimal | None = decimal("vReceb", path="receivedAmount", default=None)
    """What an intermediary who issues was paid."""
    amount: Decimal = decimal("vServ")


@group("vDescCondIncond")
class Discounts:
    """`vDescCondIncond`: what is taken off the price, for good or if something happens."""

    unconditional: Decimal | None = decimal("vDescIncond", default=None)
    conditional: Decimal | None = decimal("vDescCond", default=None)


@group("NFSeMun")
class CityNote:
    """`NFSeMun`: an NFS-e of a municipality's own standard."""

    city_code: str = text("cMunNFSeMun", 7)
    number: str = text("nNFSeMun", 15)
    verification_code: str = text("cVerifNFSeMun", 9)


@group("NFNFS")
class PaperNote:
    """`NFNFS`: an invoice on paper."""

    number: str = text("nNFS", 7)
    model: str = text("modNFS", 15)
    series: str = text("serieNFS", 15)


@group("docDedRed")
class DeductionDocument:
    """`docDedRed`: a document whose amount, or part of it, is deducted."""

    service_note_key: str | None = text("chNFSe", 50, default=None)
    invoice_key: str | None = text("chNFe", 44, default=None)
    city_note: CityNote | None = child("NFSeMun", default=None)
    paper_note: PaperNote | None = child("NFNFS", default=None)
    fiscal_document_number: str | None = text("nDocFisc", 255, default=None)
    other_document_number: str | None = text("nDoc", 255, default=None)
    kind: str = text("tpDedRed", 2)
    description: str | None = text("xDescOutDed", 150, default=None)
    issued_on: date = day("dtEmiDoc")
    deductible_amount: Decimal = decimal("vDedutivelRedutivel")
    amount: Decimal = decimal("vDeducaoReducao")
    supplier: Person | None = child("fornec", default=None)


@group("documentos")
class DeductionDocuments:
    """`documentos`: what proves a deduction."""

    documents: tuple[DeductionDocument, ...] = children("docDedRed", 1000)


@group("vDedRed")
class Deductions:
    """`vDedRed`: what the law lets be taken off the base of the ISS: a rate, an amount, or by documents."""

    rate: Decimal | None = decimal("pDR", default=None)
    amount: Decimal | None = decimal("vDR", default=None)
    proof: DeductionDocuments | None = child("documentos", default=None)


@group("valores")
class Amounts:
    """`valores`: the price, what is taken off it, and the taxes."""

    service: ServiceAmount = child("vServPrest", path=INLINE)
    discounts: Discounts | None = child("vDescCondIncond", default=None)
    deductions: Deductions | None = child("vDedRed", default=None)
    taxes: Taxes = child("trib", path=INLINE)

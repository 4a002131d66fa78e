"""Price, deductions and taxes of a service (`valores`): ISS, federal taxes and the approximate total."""

from datetime import date
from decimal import Decimal

from carimbo.fiscal.layouts.dps_v1.parties import Person
from carimbo.fiscal.layouts.group import INLINE, TOP, child, children, day, decimal, group, text


@group("exigSusp")
class Suspension:
    """`exigSusp`: the decision that suspends the ISS."""

    kind: str = text("tpSusp", 1)
    """1 by a court, 2 by the administration."""
    process_number: str = text("nProcesso", 30)


@group("BM")
class MunicipalBenefit:
    """`BM`: a tax benefit registered by the municipality."""

    number: str = text("nBM", 14)
    reduction_amount: Decimal | None = decimal("vRedBCBM", default=None)
    reduction_rate: Decimal | None = decimal("pRedBCBM", default=None)


@group("tribMun")
class Iss:
    """`tribMun`: the ISS."""

    taxation: str = text("tribISSQN", 1, path="natureOfOperation")
    """1 taxable, 2 immune, 3 export, 4 not taxed."""
    result_country_code: str | None = text("cPaisResult", 2, default=None)
    immunity: str | None = text("tpImunidade", 1, path="immunityType", default=None)
    suspension: Suspension | None = child("exigSusp", default=None)
    benefit: MunicipalBenefit | None = child("BM", default=None)
    withholding: str = text("tpRetISSQN", 1, path="iss.isWithheld")
    """Who withholds it: 1 nobody, 2 the taker, 3 the intermediary."""
    rate: Decimal | None = decimal("pAliq", path="iss.rate", default=None)


@group("piscofins")
class PisCofins:
    """`piscofins`: the provider's own debit of PIS and COFINS, and which contributions are withheld."""

    cst: str = text("CST", 2, path="pisCofinsCst")
    base: Decimal | None = decimal("vBCPisCofins", path="ownDebit.base", default=None)
    pis_rate: Decimal | None = decimal("pAliqPis", path="ownDebit.pisRate", default=None)
    cofins_rate: Decimal | None = decimal("pAliqCofins", path="ownDebit.cofinsRate", default=None)
    pis_amount: Decimal | None = decimal("vPis", path="ownDebit.pisRate", default=None)
    cofins_amount: Decimal | None = decimal("vCofins", path="ownDebit.cofinsRate", default=None)
    withholding: str | None = text("tpRetPisCofins", 1, path="pis.isWithheld", default=None)
    """Which of PIS, COFINS and CSLL are in `vRetCSLL`."""


@group("tribFed")
class FederalTaxes:
    """`tribFed`: PIS and COFINS, and the federal withholdings."""

    pis_cofins: PisCofins | None = child("piscofins", path=INLINE, default=None)
    inss: Decimal | None = decimal("vRetCP", default=None)
    ir: Decimal | None = decimal("vRetIRRF", default=None)
    csll: Decimal | None = decimal("vRetCSLL", default=None)
    """The sum of withheld CSLL, PIS and COFINS."""


@group("vTotTrib")
class TotalAmounts:
    """`vTotTrib`: the approximate taxes in reais (Lei 12.741/2012)."""

    federal: Decimal = decimal("vTotTribFed")
    state: Decimal = decimal("vTotTribEst")
    city: Decimal = decimal("vTotTribMun")


@group("pTotTrib")
class TotalRates:
    """`pTotTrib`: the approximate taxes in percent of the price."""

    federal: Decimal = decimal("pTotTribFed")
    state: Decimal = decimal("pTotTribEst")
    city: Decimal = decimal("pTotTribMun")


@group("totTrib")
class TotalTaxes:
    """`totTrib`: the approximate total, in the form that the provider's regime prescribes."""

    amounts: TotalAmounts | None = child("vTotTrib", default=None)
    rates: TotalRates | None = child("pTotTrib", path=INLINE, default=None)
    untold: str | None = text("indTotTrib", 1, default=None)
    """0: the provider states no total."""
    simples_rate: Decimal | None = decimal("pTotTribSN", path=f"{TOP}company.simplesRate", default=None)


@group("trib")
class Taxes:
    """`trib`: all taxes except IBS and CBS."""

    iss: Iss = child("tribMun", path=INLINE)
    federal: FederalTaxes | None = child("tribFed", path="taxes", default=None)
    total: TotalTaxes = child("totTrib", path="totalTaxes")


@group("vServPrest")
class ServiceAmount:
    """`vServPrest`: the price."""

    received: Decimal | None = decimal("vReceb", path="receivedAmount", default=None)
    """The amount received by an intermediary that issues the note."""
    amount: Decimal = decimal("vServ")


@group("vDescCondIncond")
class Discounts:
    """`vDescCondIncond`: unconditional and conditional discounts."""

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
    """`docDedRed`: a document whose amount is deducted in whole or in part."""

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
    """`documentos`: the documents that prove a deduction."""

    documents: tuple[DeductionDocument, ...] = children("docDedRed", 1000)


@group("vDedRed")
class Deductions:
    """`vDedRed`: legal deductions from the base of the ISS: a rate, an amount, or documents."""

    rate: Decimal | None = decimal("pDR", default=None)
    amount: Decimal | None = decimal("vDR", default=None)
    proof: DeductionDocuments | None = child("documentos", default=None)


@group("valores")
class Amounts:
    """`valores`: price, discounts, deductions and taxes."""

    service: ServiceAmount = child("vServPrest", path=INLINE)
    discounts: Discounts | None = child("vDescCondIncond", default=None)
    deductions: Deductions | None = child("vDedRed", default=None)
    taxes: Taxes = child("trib", path=INLINE)

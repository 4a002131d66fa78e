"""The taxes that a DPS declares (`trib`): ISS, federal withholdings and the approximate total."""

from decimal import Decimal

from carimbo.fiscal.layouts.group import INLINE, TOP, child, decimal, group, text


@group("exigSusp")
class Suspension:
    """`exigSusp`: the decision that keeps the ISS from being charged."""

    kind: str = text("tpSusp", 1)
    """1 of a court, 2 of the administration."""
    process_number: str = text("nProcesso", 30)


@group("BM")
class Benefit:
    """`BM`: a benefit that the municipality has registered."""

    number: str = text("nBM", 14)
    reduction_amount: Decimal | None = decimal("vRedBCBM", default=None)
    reduction_rate: Decimal | None = decimal("pRedBCBM", default=None)


@group("tribMun")
class Iss:
    """`tribMun`: the tax of the municipality."""

    taxation: str = text("tribISSQN", 1, path="natureOfOperation")
    """1 taxable, 2 immune, 3 export, 4 not taxed."""
    result_country_code: str | None = text("cPaisResult", 2, default=None)
    immunity: str | None = text("tpImunidade", 1, path="immunityType", default=None)
    suspension: Suspension | None = child("exigSusp", default=None)
    benefit: Benefit | None = child("BM", default=None)
    withholding: str = text("tpRetISSQN", 1, path="iss.isWithheld")
    """1 nobody withholds, 2 the taker, 3 the intermediary."""
    rate: Decimal | None = decimal("pAliq", path="iss.rate", default=None)


@group("piscofins")
class PisCofins:
    """`piscofins`: the provider's own debit of both, and which are withheld besides."""

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
    """`tribFed`: PIS and COFINS, and what is withheld for the Union."""

    pis_cofins: PisCofins | None = child("piscofins", path=INLINE, default=None)
    inss: Decimal | None = decimal("vRetCP", default=None)
    ir: Decimal | None = decimal("vRetIRRF", default=None)
    csll: Decimal | None = decimal("vRetCSLL", default=None)
    """The sum of the CSLL, PIS and COFINS that are withheld."""


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
    """`totTrib`: the approximate total, in the one way that the provider's regime has."""

    amounts: TotalAmounts | None = child("vTotTrib", default=None)
    rates: TotalRates | None = child("pTotTrib", path=INLINE, default=None)
    untold: str | None = text("indTotTrib", 1, default=None)
    """0: the provider tells no total."""
    simples_rate: Decimal | None = decimal("pTotTribSN", path=f"{TOP}company.simplesRate", default=None)


@group("trib")
class Taxes:
    """`trib`: every tax but those of the reform."""

    iss: Iss = child("tribMun", path=INLINE)
    federal: FederalTaxes | None = child("tribFed", path="taxes", default=None)
    total: TotalTaxes = child("totTrib", path="totalTaxes")

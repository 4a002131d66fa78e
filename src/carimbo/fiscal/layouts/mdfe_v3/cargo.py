"""Insurance, main product, totals and seals of the cargo of a manifest."""

from decimal import Decimal

from carimbo.fiscal.layouts.group import INLINE, child, decimal, group, integer, text, texts

_MAX_ENDORSEMENTS = 10_000


@group("infResp")
class CargoInsuranceResponsible:
    """`infResp`: who insured the cargo."""

    type: str = text("respSeg", 1, path="responsible")
    cnpj: str | None = text("CNPJ", 14, path="responsibleTaxId", default=None)
    cpf: str | None = text("CPF", 11, path="responsibleTaxId", default=None)


@group("infSeg")
class CargoInsurer:
    """`infSeg`: the insurance company."""

    name: str = text("xSeg", 30, path="insurerName")
    cnpj: str = text("CNPJ", 14, path="insurerTaxId")


@group("seg")
class CargoInsurance:
    """`seg`: an insurance of the cargo with its endorsements."""

    responsible: CargoInsuranceResponsible = child("infResp", path=INLINE)
    insurer: CargoInsurer | None = child("infSeg", path=INLINE, default=None)
    policy_number: str | None = text("nApol", 20, default=None)
    endorsements: tuple[str, ...] = texts("nAver", 40, _MAX_ENDORSEMENTS, default=())


@group("infLocalCarrega")
class FullLoadPlace:
    """`infLocalCarrega`, `infLocalDescarrega`: where a full load is loaded or unloaded."""

    zipcode: str | None = text("CEP", 8, default=None)
    latitude: Decimal | None = decimal("latitude", 6, default=None)
    longitude: Decimal | None = decimal("longitude", 6, default=None)


@group("infLotacao")
class FullLoad:
    """`infLotacao`: the ends of the way of a single document."""

    loading: FullLoadPlace = child("infLocalCarrega")
    unloading: FullLoadPlace = child("infLocalDescarrega")


@group("prodPred")
class MainProduct:
    """`prodPred`: the predominant product."""

    cargo_type: str = text("tpCarga", 2)
    description: str = text("xProd", 120)
    gtin: str | None = text("cEAN", 14, default=None)
    ncm: str | None = text("NCM", 8, default=None)
    full_load: FullLoad | None = child("infLotacao", default=None)


@group("tot")
class ManifestTotals:
    """`tot`: how many documents, and the value and weight of the cargo."""

    waybills: int | None = integer("qCTe", path="documents", default=None)
    invoices: int | None = integer("qNFe", path="documents", default=None)
    manifests: int | None = integer("qMDFe", path="documents", default=None)
    amount: Decimal = decimal("vCarga", path="cargoTotalAmount")
    unit: str = text("cUnid", 2, path="cargoUnit")
    quantity: Decimal = decimal("qCarga", 4, path="cargoQuantity")


@group("lacres")
class CargoSeal:
    """`lacres`: the number of a seal."""

    number: str = text("nLacre", 60, path=INLINE)

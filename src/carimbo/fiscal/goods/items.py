"""The items of a sale: as a body gives them, and as lines of the document."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.company import Company, TaxRegime
from carimbo.fiscal.fields import Body, Cnpj, Flag, Money, Notes, Quantity, Text, UnitValue
from carimbo.fiscal.goods.federal_taxes import (
    NO_COFINS,
    NO_PIS,
    ContributionBody,
    IpiBody,
    ReturnedIpiBody,
    cofins_group,
    ipi_group,
    pis_group,
    returned_ipi_group,
)
from carimbo.fiscal.goods.filling import Incomplete, copied, required, tried
from carimbo.fiscal.goods.ibs_cbs import IbsCbsBody, ibs_cbs_group
from carimbo.fiscal.goods.icms import IcmsBody, icms_group
from carimbo.fiscal.layouts.group import fields_among
from carimbo.fiscal.layouts.nfe_v4.additional import Observation
from carimbo.fiscal.layouts.nfe_v4.federal_taxes import (
    CofinsSt,
    ImportTax,
    PisSt,
    ReturnedIpi,
    StateShare,
)
from carimbo.fiscal.layouts.nfe_v4.goods import (
    Batch,
    ExportDetail,
    Firearm,
    Fuel,
    ImportDeclaration,
    Medicine,
    NewVehicle,
    PresumedIcmsCredit,
    Product,
)
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import SelectiveTax
from carimbo.fiscal.layouts.nfe_v4.icms import Icms
from carimbo.fiscal.layouts.nfe_v4.icms_simples import IcmsSn102
from carimbo.fiscal.layouts.nfe_v4.invoice import Item, ItemObservations, ItemTaxes, ReferencedItem
from carimbo.fiscal.money import cents, total
from carimbo.fiscal.problems import Problem

NO_GTIN = "SEM GTIN"
MOST_ITEMS = 990
LONGEST_DESCRIPTION = 120

NveCode = Annotated[str, StringConstraints(pattern=r"^[A-Z]{2}[0-9]{4}$")]
Cfop = Annotated[str, StringConstraints(pattern=r"^[1-7][0-9]{3}$")]
# Taxed without credit for the buyer, which is what most sales of the Simples Nacional are.
_UNTOLD_CSOSN = "102"
_WITHOUT_DEFAULT: dict[TaxRegime, tuple[str, ...]] = {
    TaxRegime.SIMPLES: (),
    TaxRegime.MEI: (),
    TaxRegime.SIMPLES_EXCESS: ("icms",),
    TaxRegime.NORMAL: ("icms", "pis", "cofins"),
}


class ItemBody(Body):
    """One line of a sale."""

    description: Annotated[Text, StringConstraints(max_length=LONGEST_DESCRIPTION)]
    quantity: Annotated[Quantity, Field(gt=0)]
    unit_value: UnitValue
    sku: Annotated[Text, StringConstraints(max_length=60)] | None = None
    ncm: Annotated[str, StringConstraints(pattern=r"^([0-9]{2}|[0-9]{8})$")] | None = None
    cfop: Cfop | None = None
    unit: Annotated[Text, StringConstraints(max_length=6)] = "UN"
    gtin: Annotated[str, StringConstraints(pattern=r"^([0-9]{8}|[0-9]{12,14})$")] | None = None
    cest: Annotated[str, StringConstraints(pattern=r"^[0-9]{7}$")] | None = None
    origin: Annotated[str, StringConstraints(pattern="^[0-8]$")] = "0"
    benefit_code: Annotated[str, StringConstraints(pattern=r"^[A-Z0-9]{8,10}$|^SEM CBENEF$")] | None = None
    barcode: Annotated[Text, StringConstraints(min_length=3, max_length=30)] | None = None
    taxable_barcode: Annotated[Text, StringConstraints(min_length=3, max_length=30)] | None = None
    used_good: Annotated[str, StringConstraints(pattern="^1$")] | None = None
    ibs_zfm_credit_type: Annotated[str, StringConstraints(pattern="^[0-4]$")] | None = None
    taxable_gtin: Annotated[str, StringConstraints(pattern=r"^([0-9]{8}|[0-9]{12,14})$")] | None = None
    taxable_unit: Annotated[Text, StringConstraints(max_length=6)] | None = None
    taxable_quantity: Quantity | None = None
    taxable_unit_value: UnitValue | None = None
    discount: Money | None = None
    freight: Money | None = None
    insurance: Money | None = None
    other: Money | None = None
    counts_in_total: Flag = True
    approximate_taxes: Money | None = None
    notes: Annotated[Notes, StringConstraints(max_length=500)] | None = None
    nve_codes: Annotated[tuple[NveCode, ...], Field(max_length=8)] = ()
    relevant_scale: Annotated[str, StringConstraints(pattern="^[SN]$")] | None = None
    manufacturer_tax_id: Cnpj | None = None
    ipi_exception: Annotated[str, StringConstraints(pattern=r"^[0-9]{2,3}$")] | None = None
    purchase_order: Annotated[Text, StringConstraints(max_length=15)] | None = None
    purchase_order_item: Annotated[str, StringConstraints(pattern=r"^[0-9]{1,6}$")] | None = None
    import_content_id: Annotated[Text, StringConstraints(max_length=36)] | None = None
    recopi_number: Annotated[str, StringConstraints(pattern=r"^[0-9]{20}$")] | None = None
    presumed_credits: Annotated[tuple[PresumedIcmsCredit, ...], Field(max_length=4)] = ()
    import_declarations: Annotated[tuple[ImportDeclaration, ...], Field(max_length=100)] = ()
    export_details: Annotated[tuple[ExportDetail, ...], Field(max_length=500)] = ()
    batches: Annotated[tuple[Batch, ...], Field(max_length=500)] = ()
    vehicle: NewVehicle | None = None
    medicine: Medicine | None = None
    firearms: Annotated[tuple[Firearm, ...], Field(max_length=500)] = ()
    fuel: Fuel | None = None
    observation: Observation | None = None
    referenced_item: ReferencedItem | None = None
    icms: IcmsBody | None = None
    pis: ContributionBody | None = None
    cofins: ContributionBody | None = None
    ipi: IpiBody | None = None
    ibs_cbs: IbsCbsBody | None = None
    pis_st: PisSt | None = None
    cofins_st: CofinsSt | None = None
    import_tax: ImportTax | None = None
    state_share: StateShare | None = None
    selective_tax: SelectiveTax | None = None
    returned_ipi: ReturnedIpiBody | None = None


def compose_item(body: ItemBody, position: int, company: Company, cfop: str, description: str) -> Item:
    """Make one line of the document; `position` counts from zero, as the caller's list does."""
    product = _product(body, position, cfop, description)
    taxes = _taxes(body, company, f"items[{position}]")
    returned = returned_ipi_group(body.returned_ipi) if body.returned_ipi else None
    return Item(
        position=position + 1,
        product=product,
        taxes=taxes,
        returned_ipi=returned,
        notes=body.notes,
        observations=ItemObservations(observation=body.observation) if body.observation else None,
        # The item's share of the total is told beside the taxes of the reform only (NT 2025.002, VB01).
        total=item_total(product, taxes, returned) if body.ibs_cbs else None,
        referenced_item=body.referenced_item,
    )


# What the groups of ICMS add to the amount of an item beside its price.
_CHARGED = ("st_amount", "st_fcp_amount", "single_phase_withholding_amount")


def item_total(product: Product, taxes: ItemTaxes, returned: ReturnedIpi | None) -> Decimal:
    """What an item adds to the amount of the document (MOC 7.0, rule W16-10; NT 2020.005)."""
    amounts = [product.freight, product.insurance, product.other]
    if product.counts_in_total == "1":
        amounts.append(product.amount)
    amounts.extend(getattr(taxes.icms, name) for name in fields_among(taxes.icms, _CHARGED))
    amounts.extend(_federal_charges(taxes))
    if returned:
        amounts.append(returned.ipi.amount)
    return total(amounts) - total([product.discount, _deducted(taxes.icms)])


def _federal_charges(taxes: ItemTaxes) -> Iterator[Decimal | None]:
    if taxes.import_tax:
        yield taxes.import_tax.amount
    if taxes.ipi:
        yield getattr(taxes.ipi.taxation, "amount", None)
    for substitution in (taxes.pis_st, taxes.cofins_st):
        if substitution and substitution.adds_to_total == "1":
            yield substitution.amount


def _deducted(icms: Icms | None) -> Decimal | None:
    """ICMS that a benefit waives, where the price was told with it."""
    waived = getattr(icms, "exemption_is_deducted", None) == "1"
    return getattr(icms, "exempted_amount", None) if waived else None


def _product(body: ItemBody, position: int, cfop: str, description: str) -> Product:
    gtin = body.gtin or NO_GTIN
    return copied(
        Product,
        body,
        sku=body.sku or f"ITEM{position + 1:03d}",
        gtin=gtin,
        description=description,
        ncm=body.ncm or "",
        manufacturer_cnpj=body.manufacturer_tax_id,
        cfop=body.cfop or cfop,
        unit=body.unit,
        amount=cents(body.quantity * body.unit_value),
        taxable_gtin=body.taxable_gtin or gtin,
        taxable_unit=body.taxable_unit or body.unit,
        taxable_quantity=body.quantity if body.taxable_quantity is None else body.taxable_quantity,
        taxable_unit_value=body.unit_value if body.taxable_unit_value is None else body.taxable_unit_value,
        # The layout has no way to write these as zero.
        freight=body.freight or None,
        insurance=body.insurance or None,
        discount=body.discount or None,
        other=body.other or None,
        counts_in_total="1" if body.counts_in_total else "0",
    )


def _taxes(body: ItemBody, company: Company, path: str) -> ItemTaxes:
    """All taxes of an item, or everything that is missing in any of them."""
    problems = _untold(body, company, path)
    taxes = ItemTaxes(
        approximate_taxes=body.approximate_taxes,
        icms=tried(lambda: _icms(body, path), problems),
        ipi=tried(lambda: ipi_group(body.ipi, f"{path}.ipi") if body.ipi else None, problems),
        import_tax=body.import_tax,
        pis=tried(lambda: pis_group(body.pis, f"{path}.pis") if body.pis else NO_PIS, problems),
        pis_st=body.pis_st,
        cofins=tried(
            lambda: cofins_group(body.cofins, f"{path}.cofins") if body.cofins else NO_COFINS, problems
        ),
        cofins_st=body.cofins_st,
        state_share=body.state_share,
        selective_tax=body.selective_tax,
        ibs_cbs=tried(
            lambda: ibs_cbs_group(body.ibs_cbs, f"{path}.ibsCbs") if body.ibs_cbs else None, problems
        ),
    )
    if problems:
        raise Incomplete(*problems)
    return taxes


def _icms(body: ItemBody, path: str) -> Icms:
    if body.icms:
        return icms_group(body.icms, body.origin, f"{path}.icms")
    return IcmsSn102(origin=body.origin, csosn=_UNTOLD_CSOSN)


def _untold(body: ItemBody, company: Company, path: str) -> list[Problem]:
    """Taxes that have no default in the company's regime, and were not given."""
    untold = [tax for tax in _WITHOUT_DEFAULT[company.tax_regime] if getattr(body, tax) is None]
    return [required(f"{path}.{tax}", "o regime tributário da empresa") for tax in untold]

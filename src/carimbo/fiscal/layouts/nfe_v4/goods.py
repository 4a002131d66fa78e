"""The product of an item (`prod`), with the groups that some kinds of goods require."""

from datetime import date
from decimal import Decimal

from carimbo.fiscal.layouts.group import child, children, day, decimal, group, integer, text, texts


@group("gCred")
class PresumedIcmsCredit:
    """`gCred`: a presumed credit of ICMS that the state grants to the item."""

    code: str = text("cCredPresumido", 10)
    rate: Decimal = decimal("pCredPresumido", 4)
    amount: Decimal = decimal("vCredPresumido")


@group("adi")
class ImportAddition:
    """`adi`: the part of an import declaration that an item comes from."""

    number: int | None = integer("nAdicao", default=None)
    sequence: int = integer("nSeqAdic")
    manufacturer_code: str = text("cFabricante", 60)
    discount: Decimal | None = decimal("vDescDI", default=None, may_be_zero=False)
    drawback_number: str | None = text("nDraw", 20, default=None)


@group("DI")
class ImportDeclaration:
    """`DI`: the import declaration of imported goods."""

    number: str = text("nDI", 15)
    registration_date: date = day("dDI")
    clearance_place: str = text("xLocDesemb", 60)
    clearance_state: str = text("UFDesemb", 2)
    clearance_date: date = day("dDesemb")
    transport_route: str = text("tpViaTransp", 2)
    afrmm_amount: Decimal | None = decimal("vAFRMM", default=None)
    intermediation: str = text("tpIntermedio", 1)
    acquirer_cnpj: str | None = text("CNPJ", 14, default=None)
    acquirer_cpf: str | None = text("CPF", 11, default=None)
    acquirer_state: str | None = text("UFTerceiro", 2, default=None)
    exporter_code: str = text("cExportador", 60)
    additions: tuple[ImportAddition, ...] = children("adi", 999)


@group("exportInd")
class IndirectExport:
    """`exportInd`: an indirect export, of goods received for export."""

    registration: str = text("nRE", 12)
    access_key: str = text("chNFe", 44)
    quantity: Decimal = decimal("qExport", 4)


@group("detExport")
class ExportDetail:
    """`detExport`: the drawback or the earlier note of exported goods."""

    drawback_number: str | None = text("nDraw", 20, default=None)
    indirect_export: IndirectExport | None = child("exportInd", default=None)


@group("rastro")
class Batch:
    """`rastro`: the batch for tracing goods."""

    number: str = text("nLote", 20)
    quantity: Decimal = decimal("qLote", 3)
    manufacture_date: date = day("dFab")
    expiry_date: date = day("dVal")
    aggregation_code: str | None = text("cAgreg", 20, default=None)


@group("infProdNFF")
class NffProduct:
    """`infProdNFF`: the product in the codes of the simplified issuer (NFF) (NT 2021.002)."""

    product_code: str = text("cProdFisco", 14)
    operation_code: str = text("cOperNFF", 5)


@group("infProdEmb")
class Packaging:
    """`infProdEmb`: the package of a product sold through the simplified issuer (NFF) (NT 2021.002)."""

    kind: str = text("xEmb", 8)
    quantity: Decimal = decimal("qVolEmb", 3)
    unit: str = text("uEmb", 8)


@group("veicProd")
class NewVehicle:
    """`veicProd`: a new vehicle, with the data of its registration (RENAVAM)."""

    operation_type: str = text("tpOp", 1)
    chassis: str = text("chassi", 17)
    color_code: str = text("cCor", 4)
    color: str = text("xCor", 40)
    horsepower: str = text("pot", 4)
    displacement: str = text("cilin", 4)
    net_weight: str = text("pesoL", 9)
    gross_weight: str = text("pesoB", 9)
    serial_number: str = text("nSerie", 9)
    fuel_type: str = text("tpComb", 2)
    engine_number: str = text("nMotor", 21)
    towing_capacity: str = text("CMT", 9)
    wheelbase: str = text("dist", 4)
    model_year: str = text("anoMod", 4)
    manufacture_year: str = text("anoFab", 4)
    paint_type: str = text("tpPint", 1)
    vehicle_type: str = text("tpVeic", 2)
    species: str = text("espVeic", 1)
    chassis_condition: str = text("VIN", 1)
    condition: str = text("condVeic", 1)
    model_code: str = text("cMod", 6)
    denatran_color_code: str = text("cCorDENATRAN", 2)
    seats: int = integer("lota")
    restriction: str = text("tpRest", 1)


@group("med")
class Medicine:
    """`med`: a medicine's registration and its ceiling price."""

    anvisa_code: str = text("cProdANVISA", 13)
    exemption_reason: str | None = text("xMotivoIsencao", 255, default=None)
    maximum_price: Decimal = decimal("vPMC")


@group("arma")
class Firearm:
    """`arma`: a firearm, by its serial numbers."""

    kind: str = text("tpArma", 1)
    serial_number: str = text("nSerie", 15)
    barrel_number: str = text("nCano", 15)
    description: str = text("descr", 256)


@group("CIDE")
class Cide:
    """`CIDE`: the federal contribution on fuels."""

    quantity: Decimal = decimal("qBCProd", 4)
    rate: Decimal = decimal("vAliqProd", 4)
    amount: Decimal = decimal("vCIDE")


@group("encerrante")
class PumpReading:
    """`encerrante`: the pump's counter before and after the sale."""

    nozzle: str = text("nBico", 3)
    pump: str | None = text("nBomba", 3, default=None)
    tank: str = text("nTanque", 3)
    initial_reading: Decimal = decimal("vEncIni", 3)
    final_reading: Decimal = decimal("vEncFin", 3)


@group("origComb")
class FuelOrigin:
    """`origComb`: the share of a fuel that comes from one state."""

    imported: str = text("indImport", 1)
    state_code: str = text("cUFOrig", 2)
    share: Decimal = decimal("pOrig", 4)


@group("comb")
class Fuel:
    """`comb`: a fuel or lubricant, with the data of the regulator (ANP) and the states."""

    anp_code: str = text("cProdANP", 9)
    anp_description: str = text("descANP", 95)
    lpg_share: Decimal | None = decimal("pGLP", 4, default=None)
    national_gas_share: Decimal | None = decimal("pGNn", 4, default=None)
    imported_gas_share: Decimal | None = decimal("pGNi", 4, default=None)
    starting_value: Decimal | None = decimal("vPart", default=None)
    codif: str | None = text("CODIF", 21, default=None)
    ambient_quantity: Decimal | None = decimal("qTemp", 4, default=None, may_be_zero=False)
    consumption_state: str = text("UFCons", 2)
    cide: Cide | None = child("CIDE", default=None)
    pump_reading: PumpReading | None = child("encerrante", default=None)
    biodiesel_share: Decimal | None = decimal("pBio", 4, default=None, may_be_zero=False)
    origins: tuple[FuelOrigin, ...] = children("origComb", 30, default=())


@group("prod")
class ItemProduct:
    """`prod`: the product, its quantity and price; at most one of the special kinds at the end."""

    sku: str = text("cProd", 60)
    gtin: str = text("cEAN", 14)
    barcode: str | None = text("cBarra", 30, default=None)
    description: str = text("xProd", 120)
    ncm: str = text("NCM", 8)
    nve_codes: tuple[str, ...] = texts("NVE", 6, 8, default=())
    cest: str | None = text("CEST", 7, default=None)
    relevant_scale: str | None = text("indEscala", 1, default=None)
    manufacturer_cnpj: str | None = text("CNPJFab", 14, path="manufacturerTaxId", default=None)
    benefit_code: str | None = text("cBenef", 10, default=None)
    presumed_credits: tuple[PresumedIcmsCredit, ...] = children("gCred", 4, default=())
    ibs_zfm_credit_type: str | None = text("tpCredPresIBSZFM", 1, default=None)
    ipi_exception: str | None = text("EXTIPI", 3, default=None)
    cfop: str = text("CFOP", 4)
    unit: str = text("uCom", 6)
    quantity: Decimal = decimal("qCom", 4)
    unit_value: Decimal = decimal("vUnCom", 10)
    amount: Decimal = decimal("vProd")
    taxable_gtin: str = text("cEANTrib", 14)
    taxable_barcode: str | None = text("cBarraTrib", 30, default=None)
    taxable_unit: str = text("uTrib", 6)
    taxable_quantity: Decimal = decimal("qTrib", 4)
    taxable_unit_value: Decimal = decimal("vUnTrib", 10)
    freight: Decimal | None = decimal("vFrete", default=None)
    insurance: Decimal | None = decimal("vSeg", default=None)
    discount: Decimal | None = decimal("vDesc", default=None)
    other: Decimal | None = decimal("vOutro", default=None)
    counts_in_total: str = text("indTot", 1)
    used_good: str | None = text("indBemMovelUsado", 1, default=None)
    import_declarations: tuple[ImportDeclaration, ...] = children("DI", 100, default=())
    export_details: tuple[ExportDetail, ...] = children("detExport", 500, default=())
    purchase_order: str | None = text("xPed", 15, default=None)
    purchase_order_item: str | None = text("nItemPed", 6, default=None)
    import_content_id: str | None = text("nFCI", 36, default=None)
    batches: tuple[Batch, ...] = children("rastro", 500, default=())
    nff_product: NffProduct | None = child("infProdNFF", default=None)
    packaging: Packaging | None = child("infProdEmb", default=None)
    vehicle: NewVehicle | None = child("veicProd", default=None)
    medicine: Medicine | None = child("med", default=None)
    firearms: tuple[Firearm, ...] = children("arma", 500, default=())
    fuel: Fuel | None = child("comb", default=None)
    recopi_number: str | None = text("nRECOPI", 20, default=None)

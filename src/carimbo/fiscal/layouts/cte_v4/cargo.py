"""The cargo of a CT-e and its documents: invoices and declarations."""

from datetime import date
from decimal import Decimal

from carimbo.fiscal.layouts.dfe_v1.units import CargoUnit, TransportUnit
from carimbo.fiscal.layouts.group import ANY_NUMBER, children, day, decimal, group, text


@group("infQ")
class CargoQuantity:
    """`infQ`: a quantity of the cargo in a unit of measure."""

    unit: str = text("cUnid", 2)
    measure_type: str = text("tpMed", 20)
    quantity: Decimal = decimal("qCarga", 4)


@group("infCarga")
class Cargo:
    """`infCarga`: value, main product and quantities of the cargo."""

    amount: Decimal | None = decimal("vCarga", default=None)
    predominant_product: str = text("proPred", 60)
    other_characteristics: str | None = text("xOutCat", 30, default=None)
    quantities: tuple[CargoQuantity, ...] = children("infQ", ANY_NUMBER)
    insured_amount: Decimal | None = decimal("vCargaAverb", default=None, may_be_zero=False)


@group("infNF")
class CarriedPaperInvoice:
    """`infNF`: an invoice on paper (models 01 and 04)."""

    waybill_number: str | None = text("nRoma", 20, default=None)
    order_number: str | None = text("nPed", 20, default=None)
    model: str = text("mod", 2)
    series: str = text("serie", 3)
    number: str = text("nDoc", 20)
    issue_date: date = day("dEmi")
    icms_base: Decimal = decimal("vBC")
    icms_amount: Decimal = decimal("vICMS")
    st_base: Decimal = decimal("vBCST")
    st_amount: Decimal = decimal("vST")
    goods_amount: Decimal = decimal("vProd")
    amount: Decimal = decimal("vNF")
    cfop: str = text("nCFOP", 4)
    weight_kg: Decimal | None = decimal("nPeso", 3, default=None, may_be_zero=False)
    suframa_pin: str | None = text("PIN", 9, default=None)
    expected_delivery_date: date | None = day("dPrev", default=None)
    cargo_units: tuple[CargoUnit, ...] = children("infUnidCarga", ANY_NUMBER, default=())
    transport_units: tuple[TransportUnit, ...] = children("infUnidTransp", ANY_NUMBER, default=())


@group("infNFe")
class CarriedInvoice:
    """`infNFe`: an NF-e of the cargo."""

    access_key: str = text("chave", 44)
    suframa_pin: str | None = text("PIN", 9, default=None)
    expected_delivery_date: date | None = day("dPrev", default=None)
    cargo_units: tuple[CargoUnit, ...] = children("infUnidCarga", ANY_NUMBER, default=())
    transport_units: tuple[TransportUnit, ...] = children("infUnidTransp", ANY_NUMBER, default=())


@group("infOutros")
class OtherCargoDocument:
    """`infOutros`: a declaration, receipt or other document of the cargo."""

    type: str = text("tpDoc", 2)
    description: str | None = text("descOutros", 100, default=None)
    number: str | None = text("nDoc", 20, default=None)
    issue_date: date | None = day("dEmi", default=None)
    amount: Decimal | None = decimal("vDocFisc", default=None, may_be_zero=False)
    expected_delivery_date: date | None = day("dPrev", default=None)
    cargo_units: tuple[CargoUnit, ...] = children("infUnidCarga", ANY_NUMBER, default=())
    transport_units: tuple[TransportUnit, ...] = children("infUnidTransp", ANY_NUMBER, default=())


@group("infDCe")
class ContentDeclaration:
    """`infDCe`: an electronic declaration of content (DC-e)."""

    access_key: str = text("chave", 44)


@group("infDoc")
class CargoDocuments:
    """`infDoc`: the documents of the cargo, all of one kind."""

    papers: tuple[CarriedPaperInvoice, ...] = children("infNF", ANY_NUMBER, default=())
    nfes: tuple[CarriedInvoice, ...] = children("infNFe", ANY_NUMBER, default=())
    others: tuple[OtherCargoDocument, ...] = children("infOutros", ANY_NUMBER, default=())
    dces: tuple[ContentDeclaration, ...] = children("infDCe", ANY_NUMBER, default=())

"""Identification of an invoice (`ide`): its number and issue, and the documents that it refers to."""

from datetime import date, datetime
from decimal import Decimal

from carimbo.fiscal.layouts.group import child, children, day, decimal, group, integer, moment, text, texts


@group("refNF")
class PaperInvoice:
    """`refNF`: a paper invoice, which has no access key."""

    state_code: str = text("cUF", 2)
    year_month: str = text("AAMM", 4)
    cnpj: str = text("CNPJ", 14, path="taxId")
    model: str = text("mod", 2)
    series: int = integer("serie")
    number: int = integer("nNF")


@group("refNFP")
class ProducerInvoice:
    """`refNFP`: a rural producer's paper invoice."""

    state_code: str = text("cUF", 2)
    year_month: str = text("AAMM", 4)
    cnpj: str | None = text("CNPJ", 14, default=None)
    cpf: str | None = text("CPF", 11, default=None)
    state_registration: str = text("IE", 14)
    model: str = text("mod", 2)
    series: int = integer("serie")
    number: int = integer("nNF")


@group("refECF")
class PrinterReceipt:
    """`refECF`: a receipt of a fiscal printer."""

    model: str = text("mod", 2)
    printer_number: str = text("nECF", 3)
    operation_number: str = text("nCOO", 6)


@group("NFref")
class ReferencedDocument:
    """`NFref`: an earlier document that this one returns, complements or accompanies."""

    access_key: str | None = text("refNFe", 44, default=None)
    masked_access_key: str | None = text("refNFeSig", 44, default=None)
    paper_invoice: PaperInvoice | None = child("refNF", default=None)
    producer_invoice: ProducerInvoice | None = child("refNFP", default=None)
    cte_access_key: str | None = text("refCTe", 44, default=None)
    printer_receipt: PrinterReceipt | None = child("refECF", default=None)


@group("gCompraGov")
class GovernmentPurchase:
    """`gCompraGov`: the government purchase that reduces the rates of IBS and CBS (NT 2025.002)."""

    entity_type: str = text("tpEnteGov", 1)
    rate_reduction: Decimal = decimal("pRedutor", 4)
    operation_type: str = text("tpOperGov", 1)
    previous_access_keys: tuple[str, ...] = texts("refDFeAnt", 44, 99, default=())


@group("gPagAntecipado")
class AdvancePayment:
    """`gPagAntecipado`: the invoices of advance payments, whose tax is deducted here (NT 2025.002)."""

    access_keys: tuple[str, ...] = texts("refNFe", 44, 99)


@group("ide")
class Identification:
    """`ide`: the parts of the access key, and the classification of the operation."""

    state_code: str = text("cUF", 2)
    numeric_code: str = text("cNF", 8)
    nature: str = text("natOp", 60)
    model: str = text("mod", 2)
    series: int = integer("serie")
    number: int = integer("nNF")
    issued_at: datetime = moment("dhEmi", path="issueDate")
    departed_at: datetime | None = moment("dhSaiEnt", default=None)
    expected_delivery_date: date | None = day("dPrevEntrega", default=None)
    direction: str = text("tpNF", 1, path="operation")
    destination: str = text("idDest", 1)
    taxable_city_code: str = text("cMunFG", 7)
    ibs_taxable_city_code: str | None = text("cMunFGIBS", 7, default=None)
    print_format: str = text("tpImp", 1)
    emission_type: str = text("tpEmis", 1)
    check_digit: str = text("cDV", 1)
    environment: str = text("tpAmb", 1)
    purpose: str = text("finNFe", 1)
    debit_type: str | None = text("tpNFDebito", 2, default=None)
    credit_type: str | None = text("tpNFCredito", 2, default=None)
    final_consumer: str = text("indFinal", 1)
    presence: str = text("indPres", 1)
    intermediation: str | None = text("indIntermed", 1, default=None)
    supply_place_code: str | None = text("cIndOp", 6, default=None)
    issuing_process: str = text("procEmi", 1)
    software_version: str = text("verProc", 20)
    contingency_started_at: datetime | None = moment("dhCont", path="contingency.startedAt", default=None)
    contingency_reason: str | None = text("xJust", 256, path="contingency.reason", default=None)
    references: tuple[ReferencedDocument, ...] = children("NFref", 999, default=())
    government_purchase: GovernmentPurchase | None = child("gCompraGov", default=None)
    advance_payment: AdvancePayment | None = child("gPagAntecipado", default=None)

"""The parts of an event page that depend on the type of the event, for MDF-e."""

from collections.abc import Iterator

from carimbo.fiscal.layouts.mdfe_v3.dialect import (
    CANCELLATION,
    CLOSING,
    DOCUMENTS,
    DRIVER,
    PAYMENT,
    PAYMENT_CHANGE,
)
from carimbo.fiscal.layouts.mdfe_v3.events import (
    DocumentInclusion,
    DriverInclusion,
    ManifestCancellation,
    ManifestClosing,
    PaymentChange,
    PaymentRegistration,
)
from carimbo.fiscal.layouts.mdfe_v3.payment import FreightPayment
from carimbo.fiscal.layouts.sefaz.archived import ArchivedEvent
from carimbo.printing import formats
from carimbo.printing.damdfe.payments import (
    account_of,
    component_name,
    conditions_of,
    payer_tax_id,
    term_of,
)
from carimbo.printing.damdfe.registered import place_of_closing, read_detail
from carimbo.printing.event_sheet import EventPart, EventTable, EventText, field_table
from carimbo.printing.sheet import CONTENT

_TITLES = {
    CANCELLATION: "CANCELAMENTO DE MDF-e",
    CLOSING: "ENCERRAMENTO DE MDF-e",
    DRIVER: "INCLUSÃO DE CONDUTOR",
    DOCUMENTS: "INCLUSÃO DE DOCUMENTOS FISCAIS ELETRÔNICOS",
    PAYMENT: "PAGAMENTO DA OPERAÇÃO DE TRANSPORTE",
    PAYMENT_CHANGE: "ALTERAÇÃO DO PAGAMENTO DO SERVIÇO DE TRANSPORTE",
}
_INVOICES = {"Nº": 14.0, "MUNICÍPIO DE DESCARGA": CONTENT - 124, "CHAVE DE ACESSO DA NF-e": 110.0}
_COMPONENTS = {"COMPONENTE": CONTENT - 50, "VALOR R$": 50.0}
_INSTALLMENTS = {"PARCELA": 40.0, "VENCIMENTO": 60.0, "VALOR R$": CONTENT - 100}


def event_title(event: ArchivedEvent) -> str:
    """Returns the title of an event."""
    return _TITLES.get(event.event_type, event.description)


def event_parts(event: ArchivedEvent) -> Iterator[EventPart]:
    """Yields the texts and tables of an event."""
    match read_detail(event):
        case ManifestCancellation(reason=reason):
            yield EventText("JUSTIFICATIVA", reason, 11)
        case ManifestClosing() as closing:
            yield field_table(
                "ENCERRAMENTO",
                ("Data do encerramento", formats.day(closing.closed_on)),
                ("Local do encerramento", place_of_closing(closing)),
                ("Encerrado por terceiro", "Sim" if closing.by_third_party else ""),
            )
        case DriverInclusion(driver=driver):
            yield field_table("CONDUTOR INCLUÍDO", ("Nome", driver.name), ("CPF", formats.tax_id(driver.cpf)))
        case DocumentInclusion() as inclusion:
            yield from _document_parts(inclusion)
        case PaymentRegistration(trips=trips, payments=payments):
            numbers = (trips.current.lstrip("0"), trips.total.lstrip("0"))
            yield field_table("VIAGEM", ("Número da viagem", " de ".join(numbers)))
            yield from _payment_parts(payments)
        case PaymentChange(payments=payments):
            yield from _payment_parts(payments)


def _document_parts(inclusion: DocumentInclusion) -> Iterator[EventPart]:
    yield field_table("CARREGAMENTO", ("Município de carregamento", inclusion.loading_city))
    rows = [
        (str(number), invoice.city, formats.key(invoice.access_key))
        for number, invoice in enumerate(inclusion.invoices, 1)
    ]
    yield EventTable("NF-e INCLUÍDAS", _INVOICES, rows)


def _payment_parts(payments: tuple[FreightPayment, ...]) -> Iterator[EventPart]:
    """Yields a table of fields for each payment, followed by its components and installments."""
    for number, payment in enumerate(payments, 1):
        name = f"PAGAMENTO {number}" if len(payments) > 1 else "PAGAMENTO"
        yield field_table(
            name,
            ("Responsável pelo pagamento", payment.payer_name or ""),
            ("CNPJ / CPF / ID. estrangeiro", payer_tax_id(payment)),
            ("Valor do contrato R$", formats.number(payment.contract_amount)),
            ("Forma de pagamento", term_of(payment).capitalize()),
            ("Adiantamento R$", formats.optional(payment.advance_amount)),
            ("Condições", "; ".join(conditions_of(payment))),
            ("Crédito em", account_of(payment.account)),
        )
        components = [(component_name(item), formats.number(item.amount)) for item in payment.components]
        yield EventTable(f"{name} - COMPONENTES", _COMPONENTS, components)
        if payment.installments:
            installments = [
                (item.number, formats.day(item.due_date), formats.number(item.amount))
                for item in payment.installments
            ]
            yield EventTable(f"{name} - PARCELAS", _INSTALLMENTS, installments)

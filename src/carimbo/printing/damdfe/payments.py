"""The payments of a freight: their table, and their texts on sheets of events."""

from collections.abc import Iterator, Sequence
from datetime import date

from carimbo.fiscal.layouts.mdfe_v3.events import PaymentChange, PaymentRegistration
from carimbo.fiscal.layouts.mdfe_v3.payment import (
    FreightPayment,
    PaymentAccount,
    PaymentComponent,
    PaymentInstallment,
)
from carimbo.printing import formats
from carimbo.printing.damdfe.registered import inclusion_mark
from carimbo.printing.engine.canvas import Align, Canvas
from carimbo.printing.entry_table import EntryColumn, EntryTable, PrintedEntry, TableRows
from carimbo.printing.sheet import CONTENT

_COLUMNS = (
    EntryColumn("RESPONSÁVEL PELO PAGAMENTO", CONTENT - 122),
    EntryColumn("CNPJ / CPF / ID. ESTRANGEIRO", 38),
    EntryColumn("VALOR DO CONTRATO", 32, Align.RIGHT),
    EntryColumn("FORMA", 20),
    EntryColumn("ADIANTAMENTO", 32, Align.RIGHT),
)
_COMPONENTS = {
    "01": "Vale-pedágio",
    "02": "Impostos, taxas e contribuições",
    "03": "Despesas",
    "04": "Frete",
    "99": "Outros",
}
_TERMS = {"0": "À VISTA", "1": "A PRAZO"}
_EARLY_INSTALLMENTS = {
    "0": "Não permite antecipar parcelas",
    "1": "Permite antecipar parcelas",
    "2": "Permite antecipar parcelas mediante confirmação",
}


def payment_tables(
    canvas: Canvas,
    payments: Sequence[FreightPayment],
    registered: Sequence[tuple[PaymentRegistration | PaymentChange, date]],
) -> Iterator[EntryTable]:
    """Yields the current payments, if there are any; those of an event are below the words for it.

    The payments of a change replace all payments before it.
    """
    changes = [place for place, (event, _) in enumerate(registered) if isinstance(event, PaymentChange)]
    current = registered[changes[-1] :] if changes else registered
    rows = TableRows(canvas, _COLUMNS)
    rows.add_entries(map(_payment, () if changes else payments))
    for event, on in current:
        rows.add_text(_event_words(event, on), bold=True)
        rows.add_entries(map(_payment, event.payments))
    if payments or registered:
        yield rows.table("PAGAMENTO DO FRETE")


def payer_tax_id(payment: FreightPayment) -> str:
    """Returns CNPJ, CPF or foreign id of the payer."""
    return formats.tax_id(payment.payer_cnpj, payment.payer_cpf) or payment.payer_foreign_id or ""


def term_of(payment: FreightPayment) -> str:
    """Returns whether a payment has installments, in words."""
    return _TERMS.get(payment.term, payment.term)


def component_name(component: PaymentComponent) -> str:
    """Returns the kind of a component with its description."""
    name = _COMPONENTS.get(component.type, component.type)
    return f"{name} ({component.description})" if component.description else name


def account_of(account: PaymentAccount) -> str:
    """Returns where a payment goes."""
    parts = (
        account.bank_code and f"banco {account.bank_code}",
        account.branch and f"agência {account.branch}",
        account.ipef_tax_id and f"instituição de pagamento (IPEF) {formats.tax_id(account.ipef_tax_id)}",
        account.pix_key and f"Pix {account.pix_key}",
    )
    return ", ".join(filter(None, parts))


def conditions_of(payment: FreightPayment) -> Iterator[str]:
    """Yields the conditions of a payment."""
    if payment.high_performance:
        yield "Operação de alto desempenho"
    if payment.allows_early_advance:
        yield "Permite antecipar o adiantamento"
    if early := payment.early_installments:
        yield _EARLY_INSTALLMENTS.get(early, early)


def _payment(payment: FreightPayment) -> PrintedEntry:
    cells = (
        payment.payer_name or "",
        payer_tax_id(payment),
        formats.number(payment.contract_amount),
        term_of(payment),
        formats.optional(payment.advance_amount),
    )
    return PrintedEntry(cells, tuple(_details(payment)))


def _details(payment: FreightPayment) -> Iterator[str]:
    components = (f"{component_name(item)} R$ {formats.number(item.amount)}" for item in payment.components)
    yield f"Componentes: {'; '.join(components)}"
    if payment.installments:
        yield f"Parcelas: {'; '.join(map(_installment, payment.installments))}"
    if conditions := "; ".join(conditions_of(payment)):
        yield conditions
    if account := account_of(payment.account):
        yield f"Crédito em: {account}"


def _installment(item: PaymentInstallment) -> str:
    return f"{item.number} em {formats.day(item.due_date)} R$ {formats.number(item.amount)}"


def _event_words(event: PaymentRegistration | PaymentChange, on: date) -> str:
    if isinstance(event, PaymentChange):
        return f"Pagamento alterado por evento em {formats.day(on)}, no lugar dos anteriores"
    trips = f"viagem {event.trips.current.lstrip('0')} de {event.trips.total.lstrip('0')}"
    return f"Pagamento {inclusion_mark(on)}: {trips}"

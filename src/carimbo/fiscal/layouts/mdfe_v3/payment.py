"""The payment of a freight (`infPag`), in manifests and in their events."""

from datetime import date
from decimal import Decimal

from carimbo.fiscal.layouts.group import ANY_NUMBER, INLINE, child, children, day, decimal, group, text


@group("Comp")
class PaymentComponent:
    """`Comp`: a part of the payment."""

    type: str = text("tpComp", 2)
    amount: Decimal = decimal("vComp")
    description: str | None = text("xComp", 60, default=None)


@group("infPrazo")
class PaymentInstallment:
    """`infPrazo`: an installment."""

    number: str = text("nParcela", 3)
    due_date: date = day("dVenc")
    amount: Decimal = decimal("vParcela", may_be_zero=False)


@group("infBanc")
class PaymentAccount:
    """`infBanc`: where the payment goes: an account, a payment institution, or a Pix key."""

    bank_code: str | None = text("codBanco", 5, path="bank.code", default=None)
    branch: str | None = text("codAgencia", 10, path="bank.branch", default=None)
    ipef_tax_id: str | None = text("CNPJIPEF", 14, default=None)
    pix_key: str | None = text("PIX", 60, default=None)


@group("infPag")
class FreightPayment:
    """`infPag`: a payment; those of events have no mark of high performance."""

    payer_name: str | None = text("xNome", 60, default=None)
    payer_cpf: str | None = text("CPF", 11, path="payerTaxId", default=None)
    payer_cnpj: str | None = text("CNPJ", 14, path="payerTaxId", default=None)
    payer_foreign_id: str | None = text("idEstrangeiro", 20, default=None)
    components: tuple[PaymentComponent, ...] = children("Comp", ANY_NUMBER)
    contract_amount: Decimal = decimal("vContrato")
    high_performance: str | None = text("indAltoDesemp", 1, default=None)
    """`1`, or absent."""
    term: str = text("indPag", 1)
    advance_amount: Decimal | None = decimal("vAdiant", default=None)
    allows_early_advance: str | None = text("indAntecipaAdiant", 1, default=None)
    """`1`, or absent."""
    installments: tuple[PaymentInstallment, ...] = children("infPrazo", ANY_NUMBER, default=())
    early_installments: str | None = text("tpAntecip", 1, default=None)
    account: PaymentAccount = child("infBanc", path=INLINE)

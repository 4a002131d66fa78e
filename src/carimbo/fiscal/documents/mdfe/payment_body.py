"""The payment of a freight in requests: of a manifest, and of the events about its payment."""

from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.date_fields import Day
from carimbo.fiscal.body.fields import TAKES_NUMBERS, Body, Cnpj, Coded, Flag, Integer, Money, TaxId, Text
from carimbo.fiscal.layouts.mdfe_v3 import payment as layout
from carimbo.fiscal.money import ZERO
from carimbo.fiscal.parties.recipient import split_tax_id

_Description = Annotated[Text, StringConstraints(min_length=2, max_length=60)]
_LAST_NUMBER = 999


class PaymentComponentType(Coded):
    """What a part of the payment is for (`tpComp`)."""

    TOLL = "toll", "01"
    TAXES = "taxes", "02"
    EXPENSES = "expenses", "03"
    FREIGHT = "freight", "04"
    OTHER = "other", "99"


class PaymentTerm(Coded):
    """Whether the payment is in cash or in installments (`indPag`)."""

    CASH = "cash", "0"
    INSTALLMENTS = "installments", "1"


class EarlyInstallments(Coded):
    """Whether installments may be paid early (`tpAntecip`)."""

    NONE = "none", "0"
    ALLOWED = "allowed", "1"
    ON_CONFIRMATION = "onConfirmation", "2"


class PaymentComponentBody(Body):
    """A part of the payment."""

    type: PaymentComponentType = Field(description="Tipo: toll, taxes, expenses, freight ou other (tpComp).")
    amount: Money = Field(description="Valor, em reais (vComp).", examples=[3000])
    description: _Description | None = Field(
        default=None, description="Descrição; obrigatória com other (xComp)."
    )


class PaymentInstallmentBody(Body):
    """An installment."""

    number: Annotated[Integer, Field(ge=1, le=_LAST_NUMBER)] = Field(
        description="Número da parcela, a partir de 1 (nParcela)."
    )
    due_date: Day = Field(description="Vencimento (dVenc).", examples=["2026-12-05"])
    amount: Annotated[Money, Field(gt=0)] = Field(description="Valor, em reais (vParcela).")


class BankBody(Body):
    """An account at a bank."""

    code: Annotated[Text, StringConstraints(min_length=3, max_length=5), TAKES_NUMBERS] = Field(
        description="Código do banco, de 3 a 5 caracteres (codBanco).", examples=["001"]
    )
    branch: Annotated[Text, StringConstraints(max_length=10), TAKES_NUMBERS] = Field(
        description="Agência (codAgencia).", examples=["1234"]
    )


class FreightPaymentBody(Body):
    """A payment of the freight."""

    payer_tax_id: TaxId | None = Field(
        default=None, description="CPF ou CNPJ de quem paga; este ou `payerForeignId`."
    )
    payer_foreign_id: Annotated[str, StringConstraints(pattern=r"^[!-ÿ]{5,20}$"), TAKES_NUMBERS] | None = (
        Field(
            default=None, description="Documento de quem paga, se é estrangeiro, sem espaços (idEstrangeiro)."
        )
    )
    payer_name: _Description | None = Field(default=None, description="Nome de quem paga (xNome).")
    components: Annotated[tuple[PaymentComponentBody, ...], Field(min_length=1, max_length=100)] = Field(
        description="Componentes do pagamento, que somam o valor do contrato (Comp)."
    )
    contract_amount: Money | None = Field(
        default=None, description="Valor do contrato; na falta, a soma dos componentes (vContrato)."
    )
    term: PaymentTerm | None = Field(
        default=None,
        description=(
            "Forma: cash ou installments; na falta, installments se há parcelas ou adiantamento (indPag)."
        ),
    )
    advance_amount: Money | None = Field(
        default=None, description="Adiantamento, só com installments, em reais (vAdiant)."
    )
    allows_early_advance: Flag = Field(
        default=False, description="Se o adiantamento pode ser antecipado (indAntecipaAdiant)."
    )
    installments: Annotated[tuple[PaymentInstallmentBody, ...], Field(max_length=_LAST_NUMBER)] = Field(
        default=(),
        description="Parcelas; com o adiantamento, somam o valor do contrato (infPrazo).",
    )
    early_installments: EarlyInstallments | None = Field(
        default=None,
        description="Antecipação das parcelas: none, allowed ou onConfirmation (tpAntecip).",
    )
    bank: BankBody | None = Field(
        default=None, description="Conta que recebe; esta, `ipefTaxId` ou `pixKey` (infBanc)."
    )
    ipef_tax_id: Cnpj | None = Field(
        default=None, description="CNPJ da instituição de pagamento eletrônico de frete (CNPJIPEF)."
    )
    pix_key: _Description | None = Field(default=None, description="Chave Pix que recebe (PIX).")

    @property
    def effective_term(self) -> PaymentTerm:
        """The caller's term; else installments if there are any, or an advance, or early payment of them."""
        if self.term is not None:
            return self.term
        is_later = self.installments or self.advance_amount is not None or self.early_installments
        return PaymentTerm.INSTALLMENTS if is_later else PaymentTerm.CASH


class ManifestPaymentBody(FreightPaymentBody):
    """A payment of the freight in a manifest."""

    high_performance: Flag = Field(
        default=False, description="Se o transporte é de alto desempenho (indAltoDesemp)."
    )


def payment_group(body: FreightPaymentBody) -> layout.FreightPayment:
    """Returns the group of a payment."""
    cnpj, cpf = split_tax_id(body.payer_tax_id)
    components = tuple(
        layout.PaymentComponent(
            type=component.type.code, amount=component.amount, description=component.description
        )
        for component in body.components
    )
    installments = tuple(
        layout.PaymentInstallment(
            number=f"{installment.number:03}", due_date=installment.due_date, amount=installment.amount
        )
        for installment in body.installments
    )
    total = sum((component.amount for component in components), ZERO)
    is_high = isinstance(body, ManifestPaymentBody) and body.high_performance
    return layout.FreightPayment(
        payer_name=body.payer_name,
        payer_cpf=cpf,
        payer_cnpj=cnpj,
        payer_foreign_id=body.payer_foreign_id,
        components=components,
        contract_amount=total if body.contract_amount is None else body.contract_amount,
        high_performance="1" if is_high else None,
        term=body.effective_term.code,
        advance_amount=body.advance_amount,
        allows_early_advance="1" if body.allows_early_advance else None,
        installments=installments,
        early_installments=body.early_installments.code if body.early_installments else None,
        account=layout.PaymentAccount(
            bank_code=body.bank.code if body.bank else None,
            branch=body.bank.branch if body.bank else None,
            ipef_tax_id=body.ipef_tax_id,
            pix_key=body.pix_key,
        ),
    )

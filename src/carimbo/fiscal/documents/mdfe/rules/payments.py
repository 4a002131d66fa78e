"""Rules about the payment of a freight, in manifests and in the events about payments."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import pairwise

from carimbo.fiscal.documents.mdfe.payment_body import (
    FreightPaymentBody,
    PaymentComponentType,
    PaymentTerm,
)
from carimbo.fiscal.documents.mdfe.rules.rule import ManifestInput, manual
from carimbo.fiscal.money import ZERO
from carimbo.fiscal.rules import At, DocumentCheck, RuleBook
from carimbo.fiscal.transport.rules.rule import MODE_CODE

_CENT = Decimal("0.01")
_AMOUNTS, _TERMS, _ACCOUNT = manual("valor do pagamento"), manual("prazo do pagamento"), manual("banco")


@dataclass(frozen=True, slots=True)
class PaymentsInput:
    """The payments of a request, and the day of issue of their manifest."""

    payments: Sequence[FreightPaymentBody]
    issued_on: date


PaymentCheck = DocumentCheck[PaymentsInput]
RULES: RuleBook[PaymentCheck] = RuleBook()


def payments_of(document: ManifestInput) -> PaymentsInput:
    """Returns the payments of a manifest."""
    return PaymentsInput(document.request.payments, document.identification.issued_at.date())


def _placed(subject: PaymentsInput) -> Iterator[tuple[str, FreightPaymentBody]]:
    return ((f"payments[{position}]", payment) for position, payment in enumerate(subject.payments))


def _contract_amount(payment: FreightPaymentBody) -> Decimal:
    return _sum_of_components(payment) if payment.contract_amount is None else payment.contract_amount


def _sum_of_components(payment: FreightPaymentBody) -> Decimal:
    return sum((component.amount for component in payment.components), ZERO)


@RULES.rule(
    MODE_CODE,
    manual("responsável pelo pagamento"),
    "O pagador tem CPF ou CNPJ, ou documento de estrangeiro.",
    hint="Informe payerTaxId ou payerForeignId, um só dos dois.",
)
def payer_with_one_id(subject: PaymentsInput) -> Iterator[At]:
    """Refuses a payer with two identifications, or with none."""
    for path, payment in _placed(subject):
        if (payment.payer_tax_id is None) is (payment.payer_foreign_id is None):
            yield At(f"{path}.{'payerForeignId' if payment.payer_foreign_id else 'payerTaxId'}")


@RULES.rule(
    MODE_CODE,
    _AMOUNTS,
    "Falta a descrição do componente do tipo other.",
    hint="Informe description, que diz do que é o valor.",
)
def description_of_another_component(subject: PaymentsInput) -> Iterator[At]:
    """Refuses a component of no listed type without a description; the XSD has it as optional."""
    for path, payment in _placed(subject):
        for position, component in enumerate(payment.components):
            if component.type is PaymentComponentType.OTHER and component.description is None:
                yield At(f"{path}.components[{position}].description")


@RULES.rule("746", _AMOUNTS, "Os componentes somam {}, e o contrato tem {}.")
def components_of_the_contract(subject: PaymentsInput) -> Iterator[At]:
    """Refuses components whose sum differs from the contract by more than a cent."""
    for path, payment in _placed(subject):
        total, contract = _sum_of_components(payment), _contract_amount(payment)
        if abs(total - contract) > _CENT:
            yield At(f"{path}.components", values=(f"{total:.2f}", f"{contract:.2f}"))


@RULES.rule("724", _TERMS, "Faltam as parcelas do pagamento a prazo.")
def installments_missing(subject: PaymentsInput) -> Iterator[At]:
    """Refuses a payment in installments without any."""
    for path, payment in _placed(subject):
        if payment.effective_term is PaymentTerm.INSTALLMENTS and not payment.installments:
            yield At(f"{path}.installments")


@RULES.rule("729", _TERMS, "O pagamento à vista não pode ter parcelas.")
def installments_of_cash(subject: PaymentsInput) -> Iterator[At]:
    """Refuses installments of a payment in cash."""
    for path, payment in _placed(subject):
        if payment.effective_term is PaymentTerm.CASH and payment.installments:
            yield At(f"{path}.installments")


@RULES.rule("735", _TERMS, "As parcelas devem ser numeradas de 1 em diante, sem saltos.")
def numbers_of_installments(subject: PaymentsInput) -> Iterator[At]:
    """Refuses installments that are not numbered in sequence."""
    for path, payment in _placed(subject):
        for position, installment in enumerate(payment.installments):
            if installment.number != position + 1:
                yield At(f"{path}.installments[{position}].number")
                break


@RULES.rule("736", _TERMS, "A parcela vence antes da emissão do MDF-e.")
def installment_before_the_manifest(subject: PaymentsInput) -> Iterator[At]:
    """Refuses installments that are due before the manifest was issued."""
    for path, payment in _placed(subject):
        for position, installment in enumerate(payment.installments):
            if installment.due_date < subject.issued_on:
                yield At(f"{path}.installments[{position}].dueDate")


@RULES.rule("737", _TERMS, "A parcela deve vencer depois da anterior.")
def installments_in_order(subject: PaymentsInput) -> Iterator[At]:
    """Refuses an installment that is not due after the previous one; 736 refuses earlier ones."""
    for path, payment in _placed(subject):
        for position, (earlier, later) in enumerate(pairwise(payment.installments), start=1):
            if subject.issued_on <= later.due_date <= earlier.due_date:
                yield At(f"{path}.installments[{position}].dueDate")


@RULES.rule("738", _TERMS, "As parcelas e o adiantamento somam {}, e o contrato tem {}.")
def installments_of_the_contract(subject: PaymentsInput) -> Iterator[At]:
    """Refuses installments and advance that do not sum up to the contract; 746 refuses a wrong contract."""
    for path, payment in _placed(subject):
        if not payment.installments or payment.effective_term is not PaymentTerm.INSTALLMENTS:
            continue
        parts = sum((installment.amount for installment in payment.installments), ZERO)
        total, contract = parts + (payment.advance_amount or ZERO), _contract_amount(payment)
        has_wrong_contract = abs(_sum_of_components(payment) - contract) > _CENT
        if abs(total - contract) > _CENT and not has_wrong_contract:
            yield At(f"{path}.installments", values=(f"{total:.2f}", f"{contract:.2f}"))


@RULES.rule("739", _TERMS, "O pagamento à vista não pode ter adiantamento.")
def advance_of_cash(subject: PaymentsInput) -> Iterator[At]:
    """Refuses an advance of a payment in cash."""
    for path, payment in _placed(subject):
        if payment.effective_term is PaymentTerm.CASH and payment.advance_amount is not None:
            yield At(f"{path}.advanceAmount")


@RULES.rule(
    MODE_CODE,
    _TERMS,
    "A antecipação só existe no pagamento a prazo, e a do adiantamento só com adiantamento.",
    hint="Retire o campo, ou informe as parcelas e o adiantamento.",
)
def early_payment_without_term(subject: PaymentsInput) -> Iterator[At]:
    """Refuses early payment of installments or of an advance that do not exist."""
    for path, payment in _placed(subject):
        if payment.effective_term is PaymentTerm.CASH and payment.early_installments is not None:
            yield At(f"{path}.earlyInstallments")
        if payment.allows_early_advance and payment.advance_amount is None:
            yield At(f"{path}.allowsEarlyAdvance")


@RULES.rule(
    MODE_CODE,
    _ACCOUNT,
    "O pagamento deve ir a uma conta, a uma instituição de pagamento ou a uma chave Pix, só uma delas.",
    hint="Informe bank, ipefTaxId ou pixKey, um só dos três.",
)
def one_account(subject: PaymentsInput) -> Iterator[At]:
    """Refuses a payment with no account, or with several."""
    for path, payment in _placed(subject):
        accounts = {"bank": payment.bank, "ipefTaxId": payment.ipef_tax_id, "pixKey": payment.pix_key}
        given = [name for name, account in accounts.items() if account]
        yield from (At(f"{path}.{name}") for name in (given[1:] if given else ["bank"]))

"""Events about the payment of a manifest's freight: its registration, and its change."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from carimbo.fiscal.body.fields import Body, Integer
from carimbo.fiscal.documents.mdfe.event_signing import (
    MAX_EVENTS,
    PAYMENT_CHANGED_AT,
    broken,
    of_event,
    registered,
    signed_manifest_event,
)
from carimbo.fiscal.documents.mdfe.payment_body import FreightPaymentBody, payment_group
from carimbo.fiscal.documents.mdfe.request import MdfeRequest
from carimbo.fiscal.documents.mdfe.road import owner_of_vehicle
from carimbo.fiscal.documents.mdfe.road_body import ManifestOwnerType
from carimbo.fiscal.documents.mdfe.rules.judging import payment_problems
from carimbo.fiscal.documents.mdfe.rules.payments import PaymentsInput
from carimbo.fiscal.filing import EventKind, EventRoute, EventSubject, FilingIssuer, FilingResult
from carimbo.fiscal.layouts.mdfe_v3.events import PaymentChange, PaymentRegistration, Trips
from carimbo.fiscal.lifecycle import Effect
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.transport.events import repetition

_Trip = Annotated[Integer, Field(ge=1, le=99_999)]
_Payments = Annotated[tuple[FreightPaymentBody, ...], Field(min_length=1, max_length=100)]


class TripsBody(Body):
    """How many trips the payment is for, and which of them this is."""

    total: _Trip = Field(description="Quantidade de viagens (qtdViagens).", examples=[4])
    current: _Trip = Field(description="Número desta viagem (nroViagem).", examples=[1])


class PaymentRequest(Body):
    """The payment of an autonomous carrier."""

    trips: TripsBody = Field(description="Viagens do pagamento (infViagens).")
    payments: _Payments = Field(description="Pagamentos (infPag).")


class PaymentChangeRequest(Body):
    """The payments that replace those registered before."""

    payments: _Payments = Field(description="Pagamentos, com os valores novos (infPag).")


def _problems(payments: Sequence[FreightPaymentBody], about: EventSubject) -> tuple[Problem, ...]:
    issued_at = about.issued_at or about.occurred_at
    issued_on = issued_at.astimezone(about.occurred_at.tzinfo).date()
    return tuple(map(of_event, payment_problems(PaymentsInput(payments, issued_on))))


def _register_payment(request: PaymentRequest, about: EventSubject, issuer: FilingIssuer) -> FilingResult:
    """Signs the payment of the operation (110116)."""
    manifest: MdfeRequest = about.read_request()
    owner = owner_of_vehicle(manifest)
    if manifest.road is None:
        return (broken("722", "payments", "Só o modal rodoviário tem pagamento do frete."),)
    if owner is None or owner.type is not ManifestOwnerType.AGGREGATED_TAC:
        message = "Só se registra o pagamento de veículo de TAC agregado (owner.type aggregatedTac)."
        return (broken("723", "payments", message),)
    trips = request.trips
    if trips.current > trips.total:
        message = "A viagem tem número maior que a quantidade de viagens."
        return (broken("630", "trips.current", message, "Informe em total todas as viagens do pagamento."),)
    if problems := _problems(request.payments, about):
        return problems
    detail = PaymentRegistration(
        protocol=about.protocol,
        trips=Trips(total=f"{trips.total:05}", current=f"{trips.current:05}"),
        payments=tuple(map(payment_group, request.payments)),
    )
    return signed_manifest_event(detail, about, issuer)


def _change_payment(request: PaymentChangeRequest, about: EventSubject, issuer: FilingIssuer) -> FilingResult:
    """Signs the change of the payment (110118)."""
    manifest: MdfeRequest = about.read_request()
    if manifest.road is None:
        return (broken("749", "payments", "Só o modal rodoviário tem pagamento do frete."),)
    if problems := _problems(request.payments, about):
        return problems
    payments = tuple(map(payment_group, request.payments))
    return signed_manifest_event(PaymentChange(protocol=about.protocol, payments=payments), about, issuer)


PAYMENT = EventKind(
    name="payment",
    title="Pagamento da operação",
    action="Registrar pagamento",
    explanation="A SEFAZ registra o pagamento do frete ao TAC agregado.",
    route=EventRoute(
        method="POST",
        path="/payments",
        operation="payFreightOf",
        summary="Registra o pagamento do frete de um MDF-e",
        description="Só do veículo de um TAC agregado; os outros pagamentos vão no próprio MDF-e.",
    ),
    request=PaymentRequest,
    issue=_register_payment,
    registered=registered,
    print_name="Pagamento-{key}-{sequence:02}.pdf",
    effect=Effect(fact=PAYMENT_CHANGED_AT),
    repetition=repetition(MAX_EVENTS, "payments", "pagamentos", "O pagamento anterior"),
)
PAYMENT_CHANGE = EventKind(
    name="paymentChange",
    title="Alteração do pagamento",
    action="Alterar pagamento",
    explanation="A SEFAZ troca os pagamentos registrados antes pelos informados agora.",
    route=EventRoute(
        method="PUT",
        path="/payments",
        operation="changePaymentOf",
        summary="Altera o pagamento do frete de um MDF-e",
        description="Os pagamentos informados ficam no lugar dos registrados antes.",
    ),
    request=PaymentChangeRequest,
    issue=_change_payment,
    registered=registered,
    print_name="Alteracao-Pagamento-{key}-{sequence:02}.pdf",
    effect=Effect(fact=PAYMENT_CHANGED_AT),
    repetition=repetition(
        MAX_EVENTS, "payments", "alterações de pagamento", "A alteração anterior do pagamento"
    ),
)

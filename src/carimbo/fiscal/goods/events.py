"""Events that the issuer of an NF-e or NFC-e can register, and the voiding of unused numbers."""

from datetime import datetime, timedelta
from functools import partial
from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.body.form_layout import FormField
from carimbo.fiscal.cancellation_deadline import (
    in_time_until,
    last_moment,
    last_moment_for_substitution,
)
from carimbo.fiscal.event_forms import JUSTIFICATION, event_form
from carimbo.fiscal.filing import (
    CANCELLATION_FORM,
    CANCELLATION_PRINT,
    CancellationDeadline,
    CancellationRequest,
    Deadline,
    EventKind,
    EventRoute,
    EventSubject,
    FilingIssuer,
    FilingResult,
    InutilizationRules,
    InutilizedRange,
    Repetition,
    SingleLineText,
    cancellation_route,
)
from carimbo.fiscal.identity.access_key import AccessKey, InvalidAccessKey
from carimbo.fiscal.identity.tax_ids import normalize
from carimbo.fiscal.layouts.nfe_v4.dialect import NFE_DIALECT
from carimbo.fiscal.layouts.nfe_v4.events import (
    Cancellation,
    CancellationBySubstitution,
    Correction,
    InvoiceEvent,
    issue_event,
)
from carimbo.fiscal.layouts.nfe_v4.inutilization import (
    InutilizationRange,
    issue_inutilization,
    registered_inutilization,
)
from carimbo.fiscal.layouts.sefaz.messages import registered_event
from carimbo.fiscal.lifecycle import CANCELLATION, CANCELS
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.sefaz_filing import signed_filing
from carimbo.fiscal.signed_documents import SignedFiling
from carimbo.fiscal.tables.geography import STATES

_TOO_LATE = frozenset({"501", "770"})
_MAX_CORRECTIONS = 20
_CORRECTED_WITHIN_HOURS = 720
_REGISTERED = partial(registered_event, NFE_DIALECT)
_issued = partial(signed_filing, InvoiceEvent, issue_event)


class ReceiptCancellationRequest(CancellationRequest):
    """The reason of the cancellation of an NFC-e, and the NFC-e that replaces it, if any."""

    replaced_by_access_key: Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z ]{44,60}$")] | None = (
        Field(
            default=None,
            description="Chave da NFC-e que substitui esta, emitida em contingência (evento 110112).",
        )
    )


class CorrectionRequest(Body):
    """A correction letter. It replaces the earlier ones, so it has to list every correction."""

    correction: Annotated[SingleLineText, StringConstraints(min_length=15, max_length=1000)] = Field(
        description="Texto da correção, de 15 a 1000 caracteres (xCorrecao).",
        examples=["O endereço de entrega é Rua das Flores, 10"],
    )


def cancel(request: CancellationRequest, about: EventSubject, issuer: FilingIssuer) -> FilingResult:
    """Signs the cancellation of a document (110111)."""
    return _issued(Cancellation(protocol=about.protocol, reason=request.justification), about, issuer)


def cancel_receipt(
    request: ReceiptCancellationRequest, about: EventSubject, issuer: FilingIssuer
) -> FilingResult:
    """Signs the cancellation of an NFC-e: by substitution (110112) if another one replaces it."""
    if request.replaced_by_access_key is None:
        return cancel(request, about, issuer)
    try:
        replacement = AccessKey.parse(request.replaced_by_access_key)
    except InvalidAccessKey as invalid:
        return (Problem("910", "replacedByAccessKey", str(invalid)),)
    detail = CancellationBySubstitution(
        author_state_code=AccessKey.parse(about.access_key).state_code,
        application_version=issuer.software.name,
        protocol=about.protocol,
        reason=request.justification,
        replaced_by=replacement,
    )
    return _issued(detail, about, issuer)


def replacement_key(request: ReceiptCancellationRequest) -> str | None:
    """Returns the access key of the NFC-e that replaces the canceled one; None if there is none."""
    access_key = request.replaced_by_access_key
    return normalize(access_key) if access_key else None


def correct(request: CorrectionRequest, about: EventSubject, issuer: FilingIssuer) -> FilingResult:
    """Signs a correction letter (110110)."""
    return _issued(Correction(correction=request.correction), about, issuer)


def _last_moment_of_receipt(
    access_key: str, authorized_at: datetime, request: ReceiptCancellationRequest
) -> datetime | None:
    if replacement_key(request) is None:
        return last_moment(access_key, authorized_at, request)
    return last_moment_for_substitution(access_key, authorized_at)


INVOICE_CANCELLATION = EventKind(
    name=CANCELLATION,
    title="Cancelamento",
    action="Cancelar",
    explanation="A SEFAZ cancela a NF-e, que deixa de valer: isso não pode ser desfeito.",
    route=cancellation_route("uma NF-e"),
    request=CancellationRequest,
    form=CANCELLATION_FORM,
    issue=cancel,
    registered=_REGISTERED,
    print_name=CANCELLATION_PRINT,
    effect=CANCELS,
    deadline=CancellationDeadline(
        "Emita uma NF-e de devolução ou de estorno que referencie esta.",
        _TOO_LATE,
        last_moment,
        in_time_until,
    ),
)
RECEIPT_CANCELLATION = EventKind(
    name=CANCELLATION,
    title="Cancelamento",
    action="Cancelar",
    explanation="A SEFAZ cancela a NFC-e, que deixa de valer: isso não pode ser desfeito.",
    route=cancellation_route("uma NFC-e"),
    request=ReceiptCancellationRequest,
    form=event_form(
        ReceiptCancellationRequest,
        JUSTIFICATION,
        FormField(
            path="replacedByAccessKey",
            label="Chave da NFC-e que substitui esta",
            hint="Só se outra, emitida em contingência, tomou o lugar desta: com a chave, o prazo é maior.",
        ),
    ),
    issue=cancel_receipt,
    registered=_REGISTERED,
    print_name=CANCELLATION_PRINT,
    effect=CANCELS,
    deadline=CancellationDeadline(
        "Emita uma NF-e de devolução que referencie esta; se outra NFC-e, emitida em contingência, tomou o"
        " seu lugar, informe replacedByAccessKey.",
        _TOO_LATE,
        _last_moment_of_receipt,
        in_time_until,
        longest=last_moment_for_substitution,
    ),
    replaced_by=replacement_key,
)
CORRECTION = EventKind(
    name="correction",
    title="Carta de correção",
    action="Corrigir por carta",
    explanation=(
        "A SEFAZ registra junto da NF-e um texto que a corrige e substitui as cartas anteriores: não se"
        " corrigem por carta valores, tributos, destinatário nem data."
    ),
    route=EventRoute(
        method="POST",
        path="/correction",
        operation="correct",
        summary="Registra uma carta de correção",
        description="Cada carta substitui as anteriores; repetir a última devolve a que já existe.",
    ),
    request=CorrectionRequest,
    form=event_form(
        CorrectionRequest,
        FormField(
            path="correction",
            label="Correção",
            hint="De 15 a 1000 caracteres. Repita o que as cartas anteriores corrigiram.",
        ),
    ),
    issue=correct,
    registered=_REGISTERED,
    print_name="CCe-{key}-{sequence:02}.pdf",
    deadline=Deadline(
        lambda _key, authorized_at, _request: authorized_at + timedelta(hours=_CORRECTED_WITHIN_HOURS),
        Problem(
            "CORRECTION_TOO_LATE",
            "correction",
            f"A carta de correção só é aceita até {_CORRECTED_WITHIN_HOURS} horas após a autorização.",
        ),
    ),
    repetition=Repetition(
        _MAX_CORRECTIONS,
        Problem(
            "594",
            "correction",
            f"O documento já tem {_MAX_CORRECTIONS} cartas de correção, que é o máximo.",
        ),
        taken_code="573",
        previous_is_open="A carta de correção anterior ainda está em processamento: aguarde o seu resultado.",
    ),
)


def inutilize(model: str, numbers: InutilizedRange, issuer: FilingIssuer) -> FilingResult:
    """Signs the request that voids a range of numbers (inutilização)."""
    unused = InutilizationRange(
        environment=issuer.environment.code,
        state_code=STATES[issuer.company.address.state].ibge,
        year=f"{numbers.year % 100:02d}",
        cnpj=issuer.company.tax_id,
        model=model,
        series=numbers.series,
        first_number=numbers.first_number,
        last_number=numbers.last_number,
        reason=numbers.justification,
    )
    signed = issue_inutilization(unused, issuer.signer, issuer.schemas)
    return signed if isinstance(signed, tuple) else SignedFiling.of(signed)


def inutilization_rules_of(model: str) -> InutilizationRules:
    """Returns how unused numbers of a model are voided."""
    return InutilizationRules(partial(inutilize, model), registered_inutilization)

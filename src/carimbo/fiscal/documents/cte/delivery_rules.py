"""Rules of the proof of delivery and of the failed delivery (MOC CT-e 4.00, events 110180 and 110190)."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from carimbo.fiscal.documents.cte.delivery_body import (
    EvidenceBody,
    FailedDeliveryRequest,
    FailureReason,
    ProofOfDeliveryRequest,
)
from carimbo.fiscal.documents.cte.request import CteRequest, ServiceType
from carimbo.fiscal.filing import EventSubject
from carimbo.fiscal.problems import MISSING_FIELD, Problem
from carimbo.fiscal.transport.hints import hinted_problem
from carimbo.fiscal.transport.keys import repeated_keys
from carimbo.fiscal.transport.request import ServicePurpose

# The authorities accept moments of clocks that are a little ahead.
_TOLERANCE = timedelta(minutes=5)
_SOURCE = "MOC CT-e 4.00, comprovante de entrega"
_KEYS = "nfeAccessKeys"


def delivery_problems(
    request: ProofOfDeliveryRequest, cte: CteRequest, about: EventSubject
) -> Iterator[Problem]:
    """Yields the problems of a proof of delivery."""
    if request.image is None and request.image_hash is None:
        yield Problem(MISSING_FIELD, "image", "Informe a imagem do comprovante, ou imageHash.")
    yield from _evidence_problems(request, request.delivered_at, "deliveredAt", about)
    yield from _cargo_problems(request, cte, "deliveredAt")
    earlier: Sequence[ProofOfDeliveryRequest] = about.read_earlier()
    if earlier and cte.globalized is None:
        yield hinted_problem("870", "deliveredAt", "O CT-e já tem comprovante de entrega.", _SOURCE)
        return
    delivered = {key for proof in earlier for key in invoices_of(proof, cte)}
    for position, key in enumerate(request.nfe_access_keys):
        if key in delivered:
            yield hinted_problem(
                "863", f"{_KEYS}[{position}]", "A NF-e já tem comprovante de entrega neste CT-e.", _SOURCE
            )
    if not request.nfe_access_keys and not delivered.isdisjoint(invoices_of(request, cte)):
        yield hinted_problem(
            "863", _KEYS, "Algumas NF-e já têm comprovante de entrega: informe as desta entrega.", _SOURCE
        )


def failed_delivery_problems(
    request: FailedDeliveryRequest, cte: CteRequest, about: EventSubject
) -> Iterator[Problem]:
    """Yields the problems of a failed delivery."""
    is_other = request.reason is FailureReason.OTHER
    if is_other and request.justification is None:
        yield Problem(MISSING_FIELD, "justification", "Informe a justificativa, com o motivo other.")
    if request.justification is not None and not is_other:
        yield Problem(MISSING_FIELD, "justification", "Só se informa com o motivo other.")
    if request.hashed_at and request.image is None and request.image_hash is None:
        yield Problem(MISSING_FIELD, "hashedAt", "Só se informa com image ou imageHash.")
    yield from _evidence_problems(request, request.attempted_at, "attemptedAt", about)
    yield from _cargo_problems(request, cte, "attemptedAt")


def invoices_of(request: EvidenceBody, cte: CteRequest) -> tuple[str, ...]:
    """Returns the NF-e of a delivery: those that it names, else all of a CT-e that must name them."""
    return request.nfe_access_keys or (_carried_keys(cte) if _names_invoices(cte) else ())


def _names_invoices(cte: CteRequest) -> bool:
    return cte.service_type is ServiceType.NORMAL and bool(_carried_keys(cte))


def _carried_keys(cte: CteRequest) -> tuple[str, ...]:
    return tuple(nfe.access_key for nfe in cte.documents.nfes) if cte.documents else ()


def _evidence_problems(
    request: EvidenceBody, happened_at: datetime, path: str, about: EventSubject
) -> Iterator[Problem]:
    if (request.latitude is None) != (request.longitude is None):
        lacking = "latitude" if request.latitude is None else "longitude"
        yield Problem(MISSING_FIELD, lacking, "Latitude e longitude se informam juntas.")
    if request.image is not None and request.image_hash is not None:
        yield Problem(MISSING_FIELD, "imageHash", "Informe a imagem ou o hash dela, não os dois.")
    latest = about.occurred_at + _TOLERANCE
    if happened_at > latest:
        yield hinted_problem("872", path, "A data está no futuro.", _SOURCE)
        return
    if about.issued_at and happened_at < about.issued_at:
        yield hinted_problem("872", path, "A data é anterior à emissão do CT-e.", _SOURCE)
    has_picture = request.image is not None or request.image_hash is not None
    if has_picture and request.hashed_at and not happened_at <= request.hashed_at <= latest:
        yield hinted_problem(
            "873",
            "hashedAt",
            "A data do hash é anterior à da entrega ou da tentativa, ou está no futuro.",
            _SOURCE,
        )


def _cargo_problems(request: EvidenceBody, cte: CteRequest, path: str) -> Iterator[Problem]:
    if cte.purpose is ServicePurpose.COMPLEMENT:
        yield hinted_problem("869", path, "O CT-e é um complemento, que não tem entrega.", _SOURCE)
        return
    keys = request.nfe_access_keys
    if keys and not _names_invoices(cte):
        yield hinted_problem(
            "871", _KEYS, "Só o CT-e de serviço normal com NF-e as relaciona na entrega.", _SOURCE
        )
        return
    carried = _carried_keys(cte)
    for position, key in enumerate(keys):
        if key not in carried:
            yield hinted_problem("864", f"{_KEYS}[{position}]", "A NF-e não está neste CT-e.", _SOURCE)
    for at in repeated_keys((f"{_KEYS}[{position}]", key) for position, key in enumerate(keys)):
        yield hinted_problem("861", at.path, "A NF-e está repetida.", _SOURCE)

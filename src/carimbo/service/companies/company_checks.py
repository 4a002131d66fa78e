"""The checks of what a company lacks to issue, and the refusals that say it."""

from datetime import datetime

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.issuance import Software
from carimbo.fiscal.problems import Problem
from carimbo.service.companies.registration import unknown_company
from carimbo.service.companies.snapshot import CompanySnapshot
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.json_values import utc_text
from carimbo.storage.subscriptions import Subscription

_CERTIFICATE = "certificate"
NO_CERTIFICATE = Problem(
    ErrorCode.CERTIFICATE_MISSING.name,
    "company.certificate",
    ErrorCode.CERTIFICATE_MISSING.message,
    "Envie o certificado A1 da empresa e emita de novo.",
)


def require_feature(subscription: Subscription, document_type: DocumentType) -> None:
    """Refuses a document type whose feature the subscription does not have."""
    if document_type.feature and document_type.feature not in subscription.features:
        raise Refusal(ErrorCode.FEATURE_NOT_ENABLED, feature=document_type.feature)


def all_missing_data(
    snapshot: CompanySnapshot,
    document_type: DocumentType,
    environment: Environment,
    software: Software,
    now: datetime,
) -> tuple[str, ...]:
    """Returns everything that a company lacks, including data that only rules for documents would report."""
    missing = _missing(snapshot, document_type, environment, now)
    inactive = (f"{document_type.switch_module}.active",) if is_held(snapshot, document_type) else ()
    return (*missing, *inactive, *snapshot.missing_for_rules(document_type, software, now))


def _missing(
    snapshot: CompanySnapshot, document_type: DocumentType, environment: Environment, now: datetime
) -> tuple[str, ...]:
    """Returns what the company lacks to issue any document, its certificate included."""
    missing = snapshot.missing_for(document_type, environment)
    return missing if snapshot.has_valid_certificate(now) else (*missing, _CERTIFICATE)


def require_complete(
    snapshot: CompanySnapshot, document_type: DocumentType, environment: Environment
) -> None:
    """Refuses a company that lacks data for a trial of a document; a trial needs no certificate."""
    missing = snapshot.missing_for(document_type, environment)
    if missing:
        raise Refusal(ErrorCode.COMPANY_NOT_READY, missing=list(missing))


def is_held(snapshot: CompanySnapshot, document_type: DocumentType) -> bool:
    """Returns whether documents of a type stay drafts, because the company's module is not active."""
    return document_type.holds_while_inactive and not snapshot.switch_of(document_type).switch


def require_active(snapshot: CompanySnapshot, document_type: DocumentType) -> None:
    """Refuses to emit a draft while the company's module is not active."""
    if is_held(snapshot, document_type):
        raise Refusal(ErrorCode.COMPANY_NOT_READY, missing=[f"{document_type.switch_module}.active"])


def require_ready(
    snapshot: CompanySnapshot, document_type: DocumentType, environment: Environment, now: datetime
) -> None:
    """Refuses a company that can't issue; a missing certificate has a code of its own."""
    _require_in_use(snapshot)
    refusal = not_ready_refusal(snapshot, document_type, environment, now)
    if refusal is not None:
        raise refusal


def not_ready_refusal(
    snapshot: CompanySnapshot, document_type: DocumentType, environment: Environment, now: datetime
) -> Refusal | None:
    """Returns the refusal of a company that can't issue, or None if it can."""
    missing = _missing(snapshot, document_type, environment, now)
    if not missing:
        return None
    if missing == (_CERTIFICATE,):
        return _certificate_refusal(snapshot, now)
    return Refusal(ErrorCode.COMPANY_NOT_READY, missing=list(missing))


def require_able_to_file(snapshot: CompanySnapshot, document_type: DocumentType, now: datetime) -> None:
    """Refuses a company that can't send requests to a type's authority; no settings are needed."""
    _require_in_use(snapshot)
    missing = snapshot.missing_registration(document_type)
    if missing:
        raise Refusal(ErrorCode.COMPANY_NOT_READY, missing=list(missing))
    require_valid_certificate(snapshot, now)


def require_valid_certificate(snapshot: CompanySnapshot, now: datetime) -> None:
    """Refuses a company without a certificate that is valid now."""
    if not snapshot.has_valid_certificate(now):
        raise _certificate_refusal(snapshot, now)


def _require_in_use(snapshot: CompanySnapshot) -> None:
    """Refuses a company that was deleted after the request began."""
    if snapshot.row.deleted_at is not None:
        raise unknown_company()


def _certificate_refusal(snapshot: CompanySnapshot, now: datetime) -> Refusal:
    certificate = snapshot.certificate
    if certificate is None:
        return Refusal(ErrorCode.CERTIFICATE_MISSING)
    if now < certificate.valid_from:
        sentence = "O certificado ainda não está em vigor."
        return Refusal(ErrorCode.CERTIFICATE_INVALID, sentence, validFrom=utc_text(certificate.valid_from))
    return Refusal(ErrorCode.CERTIFICATE_EXPIRED, expiresAt=utc_text(certificate.expires_at))

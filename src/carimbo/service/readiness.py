"""Whether a subscription and a company may issue a type of document now, and what they lack."""

from datetime import datetime

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.software import Software
from carimbo.service.companies import unknown_company
from carimbo.service.dossier import Dossier
from carimbo.service.errors import Code, Refusal
from carimbo.service.shown import utc_text
from carimbo.storage.subscriptions import Subscription

_CERTIFICATE = "certificate"
NO_CERTIFICATE = Problem(
    Code.CERTIFICATE_MISSING.name,
    "company.certificate",
    Code.CERTIFICATE_MISSING.message,
    "Envie o certificado A1 da empresa e emita de novo.",
)


def require_feature(subscription: Subscription, kind: DocumentType) -> None:
    """Refuse a type that the subscription does not have."""
    if kind.feature and kind.feature not in subscription.features:
        raise Refusal(Code.FEATURE_NOT_ENABLED, feature=kind.feature)


def missing_in_all(
    dossier: Dossier, kind: DocumentType, environment: Environment, software: Software, now: datetime
) -> tuple[str, ...]:
    """Everything that a company lacks, with what a request is told of by the rules that it breaks then."""
    missing = _missing(dossier, kind, environment, now)
    return (*missing, *dossier.missing_for_rules(kind, software, now))


def _missing(
    dossier: Dossier, kind: DocumentType, environment: Environment, now: datetime
) -> tuple[str, ...]:
    """What keeps any request of a company from being looked at, all at once."""
    missing = dossier.missing_for(kind, environment)
    return missing if dossier.has_valid_certificate(now) else (*missing, _CERTIFICATE)


def require_complete(dossier: Dossier, kind: DocumentType, environment: Environment) -> None:
    """Refuse a company of which no document could be made, even for trial: a certificate is not needed."""
    missing = dossier.missing_for(kind, environment)
    if missing:
        raise Refusal(Code.COMPANY_NOT_READY, missing=list(missing))


def require_ready(dossier: Dossier, kind: DocumentType, environment: Environment, now: datetime) -> None:
    """Refuse a company that can't issue; when only its certificate is at fault, by the certificate's code."""
    _require_in_use(dossier)
    refusal = unready(dossier, kind, environment, now)
    if refusal is not None:
        raise refusal


def unready(dossier: Dossier, kind: DocumentType, environment: Environment, now: datetime) -> Refusal | None:
    """Why a company can't issue, or None if it can."""
    missing = _missing(dossier, kind, environment, now)
    if not missing:
        return None
    if missing == (_CERTIFICATE,):
        return _certificate_refusal(dossier, now)
    return Refusal(Code.COMPANY_NOT_READY, missing=list(missing))


def require_teller(dossier: Dossier, kind: DocumentType, now: datetime) -> None:
    """Refuse a company that can't tell a type's authority anything, whatever it has for issuing."""
    _require_in_use(dossier)
    missing = dossier.missing_registration(kind)
    if missing:
        raise Refusal(Code.COMPANY_NOT_READY, missing=list(missing))
    if not dossier.has_valid_certificate(now):
        raise _certificate_refusal(dossier, now)


def _require_in_use(dossier: Dossier) -> None:
    """Refuse a company that was deleted after the request found it."""
    if dossier.row.deleted_at is not None:
        raise unknown_company()


def _certificate_refusal(dossier: Dossier, now: datetime) -> Refusal:
    certificate = dossier.certificate
    if certificate is None:
        return Refusal(Code.CERTIFICATE_MISSING)
    if now < certificate.valid_from:
        sentence = "O certificado ainda não está em vigor."
        return Refusal(Code.CERTIFICATE_INVALID, sentence, validFrom=utc_text(certificate.valid_from))
    return Refusal(Code.CERTIFICATE_EXPIRED, expiresAt=utc_text(certificate.expires_at))

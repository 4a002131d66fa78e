"""Until when a document with an access key may be canceled: by its model, its state and its authorization."""

from datetime import datetime

from carimbo.fiscal.access_key import AccessKey
from carimbo.fiscal.tables.cancellation_terms import CANCELLATION_TERMS, CancellationTerms
from carimbo.fiscal.tables.states import state_of_ibge


def in_time_until(access_key: str, authorized_at: datetime) -> datetime | None:
    """Returns the end of the usual term; None where none is known, and the authority alone decides."""
    terms = _terms_of(access_key)
    return authorized_at + terms.ordinary if terms else None


def last_moment(access_key: str, authorized_at: datetime, _request: object) -> datetime | None:
    """Returns until when the authority takes a cancellation, late ones included; None if unknown."""
    terms = _terms_of(access_key)
    return authorized_at + terms.late if terms else None


def last_moment_for_substitution(access_key: str, authorized_at: datetime) -> datetime | None:
    """Returns until when it takes a cancellation that names the document which took the place of this one."""
    terms = _terms_of(access_key)
    return authorized_at + (terms.substitution or terms.late) if terms else None


def _terms_of(access_key: str) -> CancellationTerms | None:
    key = AccessKey.parse(access_key)
    state = state_of_ibge(key.state_code)
    return CANCELLATION_TERMS.get((key.model, state.code)) if state else None

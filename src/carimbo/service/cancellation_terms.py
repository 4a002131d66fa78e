"""Until when a document may be canceled: by its type, its state and the moment of its authorization."""

from datetime import datetime

from carimbo.fiscal.access_key import AccessKey
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.tables.cancellation_terms import CANCELLATION_TERMS, CancellationTerms
from carimbo.fiscal.tables.states import state_of_ibge
from carimbo.storage.emissions import Emission


def terms_of(kind: DocumentType, emission: Emission) -> CancellationTerms | None:
    """The terms in force for a document; None where none are known, and the authority alone decides."""
    if emission.access_key is None or not kind.model:
        return None
    state = state_of_ibge(AccessKey.parse(emission.access_key).state_code)
    return CANCELLATION_TERMS.get((kind.model, state.code)) if state else None


def cancelable_until(kind: DocumentType, emission: Emission) -> datetime | None:
    """Until when a document may be canceled in time."""
    terms = terms_of(kind, emission)
    if terms is None or emission.authorized_at is None:
        return None
    return emission.authorized_at + terms.ordinary


def cancelable_at_all(kind: DocumentType, emission: Emission, *, by_substitution: bool) -> datetime | None:
    """Until when the authority takes a cancellation, late ones included; None: nobody knows but it."""
    terms = terms_of(kind, emission)
    if terms is None or emission.authorized_at is None:
        return None
    term = terms.substitution if by_substitution else terms.late
    return emission.authorized_at + (term or terms.late)

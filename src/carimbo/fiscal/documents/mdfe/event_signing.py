"""How events of manifests are signed, and what they share."""

from dataclasses import replace
from functools import partial

from carimbo.fiscal.documents.mdfe.hints import hint_of
from carimbo.fiscal.documents.mdfe.rules.rule import manual
from carimbo.fiscal.filing import EventSubject, FilingIssuer, FilingResult
from carimbo.fiscal.layouts.mdfe_v3.dialect import MDFE_DIALECT
from carimbo.fiscal.layouts.mdfe_v3.events import ManifestDetail, ManifestEvent, issue_event
from carimbo.fiscal.layouts.sefaz.messages import registered_event
from carimbo.fiscal.lifecycle import CLOSED_AT
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.sefaz_filing import signed_filing
from carimbo.fiscal.transport.rules.rule import MODE_CODE

DRIVER_INCLUDED_AT = "driverIncludedAt"
DOCUMENTS_INCLUDED_AT = "documentsIncludedAt"
PAYMENT_CHANGED_AT = "paymentChangedAt"
"""The facts of a manifest with further drivers, documents or payments."""
AFTER_CLOSING = {CLOSED_AT: "O MDF-e está encerrado, e a SEFAZ não aceita mais este evento (609)."}
MAX_EVENTS = 99
"""How many events of a kind a manifest may have."""
_DETAIL_FAULT = "630"
_SOURCE = manual("eventos")
registered = partial(registered_event, MDFE_DIALECT)


def broken(code: str, path: str, message: str, hint: str | None = None) -> Problem:
    """Returns the problem of an event that breaks a rule, with a hint of its own or that for its code."""
    return Problem(code, path, message, hint or hint_of(code), _SOURCE)


def signed_manifest_event(detail: ManifestDetail, about: EventSubject, issuer: FilingIssuer) -> FilingResult:
    """Returns the signed event, or its problems with the code of the authority and its hint."""
    result = signed_filing(ManifestEvent, issue_event, detail, about, issuer)
    if not isinstance(result, tuple):
        return result
    # Callers fill only the part of the event with an XSD of its own.
    return tuple(replace(problem, code=_DETAIL_FAULT, hint=hint_of(_DETAIL_FAULT)) for problem in result)


def of_event(problem: Problem) -> Problem:
    """Returns the problem of a group of manifests in an event, where another XSD refuses its form."""
    return replace(problem, code=_DETAIL_FAULT) if problem.code == MODE_CODE else problem

"""Forms that file something with an authority: how long they wait, and how its refusal is shown."""

from dataclasses import replace
from datetime import timedelta

from carimbo.dashboard.form_view import FormProblem, problems_of
from carimbo.dashboard.visit import CompanyVisit
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.filing.context import FilingContext

_MAX_WAIT = timedelta(seconds=2)


def brief_filing(visit: CompanyVisit) -> FilingContext:
    """Returns the context of filings that wait only shortly: a page shows the authority's answer later."""
    filing = visit.services.filing
    return replace(filing, max_wait=min(filing.max_wait, _MAX_WAIT))


def filing_problems(refusal: Refusal) -> list[FormProblem]:
    """Returns the problems of a refused filing. A refusal by the authority says what to do about it."""
    details = refusal.details or {}
    advice = details.get("hint") or details.get("alternative")
    hint = f"O que fazer: {advice}" if advice else None
    match refusal.code:
        case ErrorCode.AUTHORITY_REJECTED:
            code, message = details.get("authorityCode"), details.get("authorityMessage")
            return [FormProblem("", f"A autoridade recusou. {code}: {message}", hint)]
        case ErrorCode.CANCELLATION_DEADLINE_EXCEEDED:
            return [FormProblem("", refusal.message, hint)]
    return problems_of(refusal)

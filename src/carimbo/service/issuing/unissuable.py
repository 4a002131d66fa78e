"""What keeps a document from being issued now, though nothing did when it was accepted."""

from carimbo.fiscal.problems import Problem
from carimbo.service.contexts import WorkerContext
from carimbo.service.errors import Code
from carimbo.service.issuing.case import Case
from carimbo.service.issuing.filling import explain_problems
from carimbo.service.readiness import NO_CERTIFICATE, unready

_HINTS = {
    Code.COMPANY_NOT_READY: "Complete o que falta na empresa e emita de novo.",
    Code.CERTIFICATE_MISSING: NO_CERTIFICATE.hint,
    Code.CERTIFICATE_EXPIRED: "Envie um certificado A1 em vigor e emita de novo.",
    Code.CERTIFICATE_INVALID: "Envie um certificado A1 em vigor e emita de novo.",
}
NO_NUMBER_LEFT = Problem(
    "SERIES_EXHAUSTED",
    "company.settings.series",
    "Todos os números da série já foram usados.",
    "Configure outra série para este tipo de documento.",
)


async def unissuable(means: WorkerContext, case: Case) -> tuple[Problem, ...]:
    """What the company lacks, or else what the rules say of the request today."""
    return unready_now(means, case) or await _problems_since(means, case)


def unready_now(means: WorkerContext, case: Case) -> tuple[Problem, ...]:
    """What the company lacks now, as a problem of its record."""
    refusal = unready(case.dossier, case.kind, case.environment, means.workshop.clock())
    if refusal is None:
        return ()
    code, field = refusal.code, "certificate"
    if code is Code.COMPANY_NOT_READY and refusal.details:
        field = refusal.details["missing"][0]
    return (Problem(code.name, f"company.{field}", refusal.message, _HINTS[code]),)


async def _problems_since(means: WorkerContext, case: Case) -> tuple[Problem, ...]:
    """What the rules say today, unless they have said it already."""
    if _is_judged(means, case):
        return ()
    document = case.document
    review = await means.workshop.review(case.source)
    return explain_problems(review.problems, case.kind, document.request, document.posted)


def _is_judged(means: WorkerContext, case: Case) -> bool:
    """Tell whether nothing can have changed: neither company nor day, nor a document that it replaces."""
    replacement = case.kind.replacement
    if replacement and replacement.replaced_id(case.request):
        return False
    seen = (case.document.reviewed_revision, case.document.reviewed_on)
    return seen == (case.dossier.revision, means.workshop.today)

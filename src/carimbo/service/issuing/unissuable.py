"""What keeps a document from being issued now, though nothing did when it was accepted."""

from carimbo.fiscal.problems import Problem
from carimbo.service.errors import Code
from carimbo.service.issuing.case import Case, Means
from carimbo.service.issuing.readiness import unready

NO_CERTIFICATE = Problem(
    Code.CERTIFICATE_MISSING.name, "company.certificate", Code.CERTIFICATE_MISSING.message
)
NO_NUMBER_LEFT = Problem(
    "SERIES_EXHAUSTED",
    "company.settings.series",
    "Todos os números da série já foram usados.",
    "Configure outra série para este tipo de documento.",
)


async def unissuable(means: Means, case: Case) -> tuple[Problem, ...]:
    """What the company lacks, or else what the rules say of the request today."""
    return unready_now(means, case) or await _problems_since(means, case)


def unready_now(means: Means, case: Case) -> tuple[Problem, ...]:
    """What the company lacks now, as a problem of its record."""
    refusal = unready(case.dossier, case.kind, case.environment, means.workshop.clock())
    if refusal is None:
        return ()
    lacking: list[str] = (refusal.details or {}).get("missing", ["certificate"])
    message = f"{refusal.message} ({', '.join(lacking)})"
    return (Problem(refusal.code.name, f"company.{lacking[0]}", message),)


async def _problems_since(means: Means, case: Case) -> tuple[Problem, ...]:
    """What the rules say today; the same request of the same company on the same day was judged already."""
    seen = (case.document.reviewed_revision, case.document.reviewed_on)
    if seen == (case.dossier.revision, means.workshop.today):
        return ()
    asked_at = case.document.created_at
    review = await means.workshop.review(
        case.kind, case.request, case.dossier, case.environment, asked_at=asked_at
    )
    return review.problems

"""Events of SEFAZ documents as filings: addressed to the authority of the document, signed and checked."""

from collections.abc import Callable
from typing import Any

from carimbo.fiscal.filing import EventSubject, FilingIssuer, FilingResult
from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schemas
from carimbo.fiscal.signed_documents import SignedFiling

IssueEvent = Callable[[Any, Signer, Schemas], bytes | tuple[Problem, ...]]
"""Signs an event of a family and checks it, or returns everything that is wrong with it."""


def signed_filing(
    event_class: Callable[..., Any],
    issue_event: IssueEvent,
    detail: object,
    about: EventSubject,
    issuer: FilingIssuer,
) -> FilingResult:
    """Returns the signed event that the issuer of a document declares, or its problems."""
    key = AccessKey.parse(about.access_key)
    event = event_class(
        organ=key.state_code,
        environment=issuer.environment.code,
        tax_id=issuer.company.tax_id,
        access_key=key,
        occurred_at=about.occurred_at,
        sequence=about.sequence,
        detail=detail,
    )
    signed = issue_event(event, issuer.signer, issuer.schemas)
    return signed if isinstance(signed, tuple) else SignedFiling.of(signed)

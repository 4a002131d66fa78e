"""Changes that break one rule of CT-e, and how they are judged."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from carimbo.fiscal.documents.cte.definition import CTE
from carimbo.fiscal.documents.cte.document import compose
from carimbo.fiscal.documents.cte.request import CteRequest
from carimbo.fiscal.documents.cte.rules.judging import BOOKS, judge_waybill
from carimbo.fiscal.documents.cte.settings import CteSettings
from carimbo.fiscal.emission import Emission
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.issuance import Issuance
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.rules import Rule, Severity
from unit.fiscal.documents.cte.bodies import GOOD, ISSUED_AT
from unit.fiscal.goods import support
from unit.fiscal.rules.breaking import altered, changed

RULES: tuple[Rule[Any], ...] = tuple(rule for book in BOOKS for rule in book)
SETTINGS = CteSettings(rntrc="12345678")


def emission(**changes: Any) -> Emission:
    """A number of a series in homologation, on the day of the bodies."""
    return support.emission(**{"issued_at": ISSUED_AT} | changes)


@dataclass(frozen=True)
class Breaking:
    """A change of a good request, and the code and path that must report it."""

    code: str
    path: str
    good: str = "freight"
    body: dict[str, Any] = field(default_factory=dict)
    """Values by path in the body: `shipper.stateRegistration`."""
    company: dict[str, Any] = field(default_factory=dict)
    """Values by path in the company's record."""
    document: dict[str, Any] = field(default_factory=dict)
    """Values by path in the typed document, for values that no request can give."""
    under: Emission = field(default_factory=emission)
    now: datetime | None = None

    def __str__(self) -> str:
        return f"{self.code}-{self.path}"


@dataclass(frozen=True)
class Judged:
    """The problems and warnings of a request."""

    problems: tuple[Problem, ...]
    warnings: tuple[str, ...]

    @property
    def places(self) -> list[tuple[str, str]]:
        """Code and path of every problem."""
        return [(problem.code, problem.path) for problem in self.problems]


def judge(breaking: Breaking, signer: Signer) -> Judged:
    """Reviews the changed request; a changed document is only judged by the rules."""
    body, company = GOOD[breaking.good]
    request = CteRequest.model_validate(changed(body, breaking.body))
    issuance = Issuance(
        company=Company.model_validate(changed(company, breaking.company)),
        emission=breaking.under,
        software=support.SOFTWARE,
        settings=SETTINGS,
        signer=signer,
        schemas=support.SCHEMAS,
        now=breaking.now or breaking.under.issued_at,
    )
    if not breaking.document:
        review = CTE.issuing.review(request, issuance)
        return Judged(review.problems, review.warnings)
    composition = compose(request, issuance)
    assert composition.document is not None
    waybill = composition.document
    for path, value in breaking.document.items():
        waybill = altered(waybill, path, value)
    judgement = judge_waybill(waybill, request, issuance)
    return Judged(judgement.problems, composition.warnings + judgement.warnings)


def new_warnings(breaking: Breaking, signer: Signer) -> list[tuple[str, str]]:
    """Returns code and path of the warnings of rules that the change causes."""
    usual = judge(replace(breaking, body={}, company={}, document={}), signer).warnings
    texts = [text.partition(": ") for text in judge(breaking, signer).warnings if text not in usual]
    warning = [rule for rule in RULES if rule.severity is Severity.WARNS]
    return [
        (rule.code, path)
        for path, _, message in texts
        for rule in warning
        if message.startswith(rule.message)
    ]

"""How changes that break one rule of CT-e OS are judged."""

from typing import Any

from carimbo.fiscal.documents.cteos.definition import CTE_OS
from carimbo.fiscal.documents.cteos.request import CteOsRequest
from carimbo.fiscal.documents.cteos.settings import CteOsSettings
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.issuance import Issuance, Review
from carimbo.fiscal.parties.company import Company
from unit.fiscal.documents.cte.breaking import Breaking
from unit.fiscal.documents.cteos.bodies import GOOD
from unit.fiscal.goods import support
from unit.fiscal.rules.breaking import changed


def broken(code: str, path: str, good: str = "charter", **values: Any) -> Breaking:
    """Returns a change of a good request; `__` in a name stands for the dot of a path."""
    body = {name.replace("__", "."): value for name, value in values.items()}
    return Breaking(code, path, good, body=body)


def review(breaking: Breaking, signer: Signer) -> Review:
    """Reviews the changed request."""
    body, company = GOOD[breaking.good]
    issuance = Issuance(
        company=Company.model_validate(changed(company, breaking.company)),
        emission=breaking.under,
        software=support.SOFTWARE,
        settings=CteOsSettings(),
        signer=signer,
        schemas=support.SCHEMAS,
        now=breaking.now or breaking.under.issued_at,
    )
    return CTE_OS.issuing.review(CteOsRequest.model_validate(changed(body, breaking.body)), issuance)


def places(breaking: Breaking, signer: Signer) -> list[tuple[str, str]]:
    """Returns code and path of every problem."""
    return [(problem.code, problem.path) for problem in review(breaking, signer).problems]

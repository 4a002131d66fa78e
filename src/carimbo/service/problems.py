"""Problems of the fiscal library as refusals that callers read."""

from collections.abc import Iterable
from typing import Any

from carimbo.fiscal.problems import MISSING_FIELD, Problem
from carimbo.service.errors import Code, Refusal


def require_no_problems(problems: Iterable[Problem]) -> None:
    """Refuses with every broken rule, or with the one problem that has a code of its own in the API."""
    broken = tuple(problems)
    fields = [
        {"field": problem.path, "error": problem.message, **dict(problem.facts)}
        for problem in broken
        if problem.code == MISSING_FIELD
    ]
    if fields:
        raise Refusal(Code.VALIDATION_ERROR, fields=fields)
    for problem in broken:
        if problem.code in Code.__members__:
            raise Refusal(Code[problem.code], problem.message, **dict(problem.facts))
    if broken:
        raise Refusal(Code.FISCAL_RULE_VIOLATION, rules=broken_rules(broken))


def broken_rules(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    """Returns broken rules as callers read them."""
    return [
        {
            "code": problem.code,
            "field": problem.path,
            "message": problem.message,
            "hint": problem.hint,
            **dict(problem.facts),
        }
        for problem in problems
    ]

"""Moments of a request as transport documents write them."""

from datetime import datetime

from carimbo.fiscal.emission import UnusableEmission, local_moment
from carimbo.fiscal.local_time import beginning_of
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Findings, Problem


def moment_at(path: str, moment: datetime | None, state: str, findings: Findings) -> datetime | None:
    """Returns the moment in the time zone of a state; None, with a problem, if the calendar lacks it."""
    try:
        return moment and local_moment(beginning_of(moment, state), state)
    except UnusableEmission:
        findings.add_problem(
            Problem(
                SCHEMA_PROBLEM,
                path,
                "A data está fora do calendário.",
                "Informe a data e a hora em que isso acontece.",
            )
        )
        return None

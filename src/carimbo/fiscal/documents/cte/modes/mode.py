"""What all modes of transport share."""

from typing import Any

from carimbo.fiscal.problems import MISSING_FIELD, Incomplete, Problem


def missing_in_mode(**fields: Any) -> Incomplete:
    """Returns the problem of every field of `modal` that is None, by the names of our JSON."""
    return Incomplete(
        *(
            Problem(MISSING_FIELD, f"modal.{name}", "Campo obrigatório, exceto no complemento.")
            for name, value in fields.items()
            if value is None
        )
    )

"""Numbers of NF-e and NFC-e that never became documents, and are given up."""

from functools import partial

from carimbo.fiscal.filing import Filed, NumberRange, Teller, Voiding
from carimbo.fiscal.layouts.nfe_v4.inutilization import (
    Inutilization,
    issue_inutilization,
    registered_inutilization,
)
from carimbo.fiscal.signed_filing import SignedFiling
from carimbo.fiscal.tables.states import STATES


def void(model: str, numbers: NumberRange, teller: Teller) -> Filed:
    """Sign the request that gives a range up."""
    asked = Inutilization(
        environment=teller.environment.code,
        state_code=STATES[teller.company.address.state].ibge,
        year=f"{numbers.year % 100:02d}",
        cnpj=teller.company.tax_id,
        model=model,
        series=numbers.series,
        first_number=numbers.first_number,
        last_number=numbers.last_number,
        reason=numbers.justification,
    )
    made = issue_inutilization(asked, teller.signer, teller.schemas)
    return made if isinstance(made, tuple) else SignedFiling.of(made)


def voiding_of(model: str) -> Voiding:
    """How numbers of a model are given up."""
    return Voiding(partial(void, model), registered_inutilization)

"""What a company tells of the Simples Nacional: whether it is there, and which taxes it pays by it."""

from carimbo.fiscal.company import Company, TaxRegime


class Option:
    """`opSimpNac`."""

    OUTSIDE = "1"
    MEI = "2"
    SMALL = "3"


class Assessment:
    """`regApTribSN`."""

    ALL = "1"
    FEDERAL = "2"
    NONE = "3"


def option_of(company: Company) -> str:
    """How the company stands with the Simples Nacional; beyond the sublimit it is still there."""
    if company.tax_regime.is_simples:
        return Option.SMALL
    return Option.MEI if company.tax_regime is TaxRegime.MEI else Option.OUTSIDE


def assessment_of(company: Company) -> str | None:
    """The company's own word, else the usual; beyond the sublimit ISS is paid apart (LC 123, art. 13-A)."""
    match company.tax_regime:
        case TaxRegime.SIMPLES:
            return str(company.simples_iss_regime or Assessment.ALL)
        case TaxRegime.SIMPLES_EXCESS:
            return str(company.simples_iss_regime or Assessment.FEDERAL)
        case _:
            return None

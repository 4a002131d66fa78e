"""Which taxes a company of Simples Nacional pays by it (`regApTribSN`)."""

from carimbo.fiscal.company import Company, TaxRegime


class Assessment:
    """The codes of the layout."""

    ALL = "1"
    FEDERAL = "2"
    NONE = "3"


def assessment_of(company: Company) -> str | None:
    """The company's own word, else the usual; beyond the sublimit ISS is paid apart (LC 123, art. 13-A)."""
    match company.tax_regime:
        case TaxRegime.SIMPLES:
            return str(company.simples_iss_regime or Assessment.ALL)
        case TaxRegime.SIMPLES_EXCESS:
            return str(company.simples_iss_regime or Assessment.FEDERAL)
        case _:
            return None

"""What a provider is, and how its service is taxed: questions that many rules ask."""

from carimbo.simulator.nfse.case import NoteCase

TAXES = "valores/trib"
CITY_TAX, FEDERAL, TOTALS = f"{TAXES}/tribMun", f"{TAXES}/tribFed", f"{TAXES}/totTrib"
SUSPENSION, BENEFIT, RATE = f"{CITY_TAX}/exigSusp", f"{CITY_TAX}/BM", f"{CITY_TAX}/pAliq"
DEDUCTION = "valores/vDedRed"
REFORM = "IBSCBS"

EXPORT, IMMUNE, UNTAXED = "3", "2", "4"
"""`tribISSQN`; 1 is taxed."""
_TAXED = "1"
_NOT_SIMPLES, _MEI, _SMALL = "1", "2", "3"
_ALL_BY_SIMPLES = "1"
_NO_SPECIAL_REGIME = "0"
_BY_TAKER, _BY_INTERMEDIARY = "2", "3"


def is_outside_simples(case: NoteCase) -> bool:
    """Tell whether the provider has not opted for the Simples Nacional."""
    return case.text("prest/regTrib/opSimpNac") == _NOT_SIMPLES


def is_mei(case: NoteCase) -> bool:
    """Tell whether the provider is a microentrepreneur."""
    return case.text("prest/regTrib/opSimpNac") == _MEI


def is_small(case: NoteCase) -> bool:
    """Tell whether the provider is an ME or EPP of the Simples Nacional."""
    return case.text("prest/regTrib/opSimpNac") == _SMALL


def pays_iss_by_simples(case: NoteCase) -> bool:
    """Tell whether an ME or EPP pays the ISS within the Simples Nacional."""
    return is_small(case) and case.text("prest/regTrib/regApTribSN") == _ALL_BY_SIMPLES


def pays_iss_apart(case: NoteCase) -> bool:
    """Tell whether an ME or EPP pays the ISS to the city."""
    return is_small(case) and not pays_iss_by_simples(case)


def has_special_regime(case: NoteCase) -> bool:
    """Tell whether the provider is taxed in another way than by its services."""
    return case.text("prest/regTrib/regEspTrib") != _NO_SPECIAL_REGIME


def is_taxed(case: NoteCase) -> bool:
    """Tell whether the service bears ISS."""
    return case.text(f"{CITY_TAX}/tribISSQN") == _TAXED


def is_untaxed(case: NoteCase) -> bool:
    """Tell whether the service bears no ISS."""
    return not is_taxed(case)


def is_suspended(case: NoteCase) -> bool:
    """Tell whether the ISS can't be demanded for the time being."""
    return case.has(SUSPENSION)


def is_withheld_by_taker(case: NoteCase) -> bool:
    """Tell whether the taker pays the ISS."""
    return case.text(f"{CITY_TAX}/tpRetISSQN") == _BY_TAKER


def is_withheld_by_intermediary(case: NoteCase) -> bool:
    """Tell whether the intermediary pays the ISS."""
    return case.text(f"{CITY_TAX}/tpRetISSQN") == _BY_INTERMEDIARY


def is_withheld(case: NoteCase) -> bool:
    """Tell whether somebody else than the provider pays the ISS."""
    return is_withheld_by_taker(case) or is_withheld_by_intermediary(case)

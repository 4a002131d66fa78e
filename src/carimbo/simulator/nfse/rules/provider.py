"""Who provides the service, and how it is taxed (Anexo I, infDPS/prest)."""

from carimbo.simulator.nfse.case import NoteCase
from carimbo.simulator.nfse.regimes import (
    has_special_regime,
    is_mei,
    is_small,
    is_untaxed,
    pays_iss_by_simples,
)
from carimbo.simulator.nfse.rules import persons
from carimbo.simulator.rule import Rule

_PROVIDER = "prest"
_SIMPLES = "prest/regTrib/regApTribSN"


def named_by_foreign_id(case: NoteCase) -> bool:
    """Who issues has a tax id of Brazil."""
    return case.has("prest/NIF")


def named_by_nothing(case: NoteCase) -> bool:
    """Who issues has a tax id."""
    return case.has("prest/cNaoNIF")


def told_by_name(case: NoteCase) -> bool:
    """The Sefin knows the name of who issues."""
    return case.has("prest/xNome")


def told_by_address(case: NoteCase) -> bool:
    """The Sefin knows the address of who issues."""
    return case.has("prest/end")


def way_of_simples_out_of_place(case: NoteCase) -> bool:
    """How the taxes of the Simples are reckoned is told by ME and EPP alone."""
    return case.has(_SIMPLES) and not is_small(case)


def way_of_simples_missing(case: NoteCase) -> bool:
    """ME and EPP tell how the taxes of the Simples are reckoned."""
    return is_small(case) and not case.has(_SIMPLES)


PROVIDER_RULES: tuple[Rule[NoteCase], ...] = (
    Rule("E0080", persons.wrong_cnpj_of(_PROVIDER)),
    Rule("E0096", persons.wrong_cpf_of(_PROVIDER)),
    Rule("E0112", named_by_foreign_id),
    Rule("E0114", named_by_nothing),
    Rule("E0121", told_by_name),
    Rule("E0128", told_by_address),
    Rule("E0148", persons.wrong_email_of(_PROVIDER)),
    Rule("E0162", way_of_simples_out_of_place),
    Rule("E0166", way_of_simples_missing),
    Rule("E0172", is_untaxed, has_special_regime),
    Rule("E0174", is_mei, has_special_regime),
    Rule("E0175", pays_iss_by_simples, has_special_regime),
)

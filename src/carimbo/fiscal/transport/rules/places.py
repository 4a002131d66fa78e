"""Rules about the places where a service starts and ends, and about its CFOP."""

from collections.abc import Callable

from carimbo.fiscal.rules import At, RuleBook
from carimbo.fiscal.tables.geography import municipality_of_ibge
from carimbo.fiscal.transport.cfop import CFOPS
from carimbo.fiscal.transport.places import ABROAD_CODE
from carimbo.fiscal.transport.rules.rule import TransportCheck, TransportInput, manual

RULES: RuleBook[TransportCheck] = RuleBook()

_CFOP = manual("CFOP")


def _city_rule(unknown: str, named: str, path: str, code_of: Callable[[TransportInput], str | None]) -> None:
    """Adds the rule that a place exists."""
    source = manual(f"{named} da prestação")

    @RULES.rule(unknown, source, f"O município de {named} da prestação não existe na tabela do IBGE.")
    def city_exists(document: TransportInput) -> At | None:
        code = code_of(document)
        # A missing code is a problem of the request, which composition reports.
        if not code or code == ABROAD_CODE or municipality_of_ibge(code):
            return None
        return At(path)


_city_rule("541", "início", "municipalityStartIbge", lambda document: document.identification.start_city_code)
_city_rule("542", "término", "municipalityEndIbge", lambda document: document.identification.end_city_code)


@RULES.rule("676", _CFOP, "O CFOP não é de prestação de serviço de transporte.")
def cfop_of_transport(document: TransportInput) -> At | None:
    """Refuses a CFOP that the authorities do not accept in a CT-e."""
    return None if document.identification.cfop in CFOPS else At("cfop")

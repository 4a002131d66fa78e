"""Where a building, an event or a property is (Anexo I, addresses of obra, atvEvento and imovel)."""

from collections.abc import Callable

from carimbo.simulator.nfse.case import COUNTRY, PLACE, NoteCase
from carimbo.simulator.nfse.rules.persons import is_elsewhere
from carimbo.simulator.rule import Rule

_CONSTRUCTION, _EVENT, _PROPERTY = "serv/obra/end", "serv/atvEvento/end", "IBSCBS/imovel/end"


def _zipcode_of_another_place(path: str) -> Callable[[NoteCase], bool]:
    """A postal code of elsewhere than where the service was done."""
    return lambda case: is_elsewhere(case.text(f"{path}/CEP"), case.text(PLACE))


def _zipcode_abroad(path: str) -> Callable[[NoteCase], bool]:
    """A postal code of Brazil, in another country."""
    return lambda case: case.has(COUNTRY) and case.has(f"{path}/CEP")


def _foreign_address_missing(path: str) -> Callable[[NoteCase], bool]:
    """In another country, and nothing is said of it; a code of Brazil is another rule's matter."""
    return lambda case: (
        case.has(COUNTRY)
        and case.has(path.rpartition("/")[0])
        and not case.has(f"{path}/endExt")
        and not case.has(f"{path}/CEP")
    )


def _foreign_address_at_home(path: str) -> Callable[[NoteCase], bool]:
    """In a city of Brazil, with an address abroad."""
    return lambda case: case.has(PLACE) and case.has(f"{path}/endExt")


SITE_RULES: tuple[Rule[NoteCase], ...] = (
    Rule("E0380", _zipcode_of_another_place(_CONSTRUCTION)),
    Rule("E0382", _zipcode_abroad(_CONSTRUCTION)),
    Rule("E0384", _foreign_address_missing(_CONSTRUCTION)),
    Rule("E0386", _foreign_address_at_home(_CONSTRUCTION)),
    Rule("E0398", _zipcode_of_another_place(_EVENT)),
    Rule("E0400", _zipcode_abroad(_EVENT)),
    Rule("E0402", _foreign_address_missing(_EVENT)),
    Rule("E0404", _foreign_address_at_home(_EVENT)),
    Rule("E0934", _foreign_address_missing(_PROPERTY)),
    Rule("E0935", _foreign_address_at_home(_PROPERTY)),
)

"""Which authority answers for a document: the one that authorised it, and the state's own after an SVC."""

from carimbo.fiscal.tables.authorizers import NATIONAL, is_contingency
from carimbo.fiscal.tables.states import state_of_ibge
from carimbo.simulator.family import World
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.nfe.contingency import contingency_is_open
from carimbo.simulator.nfe.key_parts import STATE
from carimbo.simulator.place import Place


def answers_for(place: Place, document: StoredDocument, world: World) -> bool:
    """Tell whether an authority holds a document (MOC 7.0, anexo III, 2.1.3.4).

    What an SVC authorised reaches the state's own authority when the SVC hands the work back; what the
    state's own authorised never reaches an SVC. The national environment gets everything.
    """
    if place.authorizer in (document.authorizer, NATIONAL):
        return True
    if is_contingency(place.authorizer) or not is_contingency(document.authorizer):
        return False
    state = state_of_ibge(document.access_key[STATE])
    elsewhere = place._replace(authorizer=document.authorizer)
    return not contingency_is_open(elsewhere, state.code if state else "", world)

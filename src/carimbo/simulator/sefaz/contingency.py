"""The contingency authorities (SVC): when they work for a state, and for which documents they answer."""

from carimbo.fiscal.tables.authorizers import AUTHORIZERS, NATIONAL, is_contingency
from carimbo.fiscal.tables.states import state_of_ibge
from carimbo.simulator.controls import Contingency
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.sefaz.call import Received
from carimbo.simulator.sefaz.key_parts import STATE


def contingency_is_open(received: Received, state: str, authorizer: str = "") -> bool:
    """Returns whether an SVC, by default the receiving authority, works for a state (`SP`) now."""
    authorizer = authorizer or received.place.authorizer
    serving = AUTHORIZERS.rows.get((received.dialect.model_at(received.place), state))
    if serving is None or serving.contingency != authorizer:
        return False
    controls = received.world.controls
    switch = controls.contingency_of(authorizer)
    if switch is Contingency.AUTO:
        return serving.authorizer in controls.outages
    return switch is not Contingency.OFF


def answers_for(received: Received, document: StoredDocument) -> bool:
    """Returns whether the receiving authority holds a document (MOC 7.0, anexo III, 2.1.3.4).

    What an SVC authorised reaches the state's own authority when the SVC hands the work back; what the
    state's own authorised never reaches an SVC. The national environment gets everything.
    """
    authorizer = received.place.authorizer
    if authorizer in (document.authorizer, NATIONAL):
        return True
    if is_contingency(authorizer) or not is_contingency(document.authorizer):
        return False
    state = state_of_ibge(document.access_key[STATE])
    return not contingency_is_open(received, state.code if state else "", document.authorizer)

"""Rules that compare a complement or substitution with the CT-e OS that it corrects."""

from carimbo.fiscal.documents.cteos.request import CteOsRequest
from carimbo.fiscal.rules import At
from carimbo.fiscal.transport.rules.corrected import COMPLEMENTED
from carimbo.fiscal.transport.rules.original import COMPLEMENTED_MODE, Amendment, OriginalRules, other_state

RULES: OriginalRules[CteOsRequest] = OriginalRules()


def _other_taker(amendment: Amendment[CteOsRequest]) -> bool:
    given, original = amendment.request.taker_party, amendment.original.taker_party
    return given is not None and given.tax_id != (original.tax_id if original else None)


RULES.same(("552", "804"), "O tomador", "takerParty.taxId", _other_taker)
RULES.same(
    ("559", "811"),
    "O estado de início da prestação",
    "municipalityStartIbge",
    other_state(lambda request: request.municipality_start_ibge),
)
RULES.same(
    ("560", "812"),
    "O estado de término da prestação",
    "municipalityEndIbge",
    other_state(lambda request: request.municipality_end_ibge),
)
RULES.same(
    ("834", "835"),
    "O tipo do serviço",
    "serviceType",
    lambda amendment: amendment.request.service_type is not amendment.original.service_type,
)


@RULES.complemented.rule(
    COMPLEMENTED_MODE,
    COMPLEMENTED,
    "O modal não é o do CT-e complementado.",
    hint="Retire modal, para que seja repetido, ou corrija modal.kind.",
)
def other_mode_of_a_complement(amendment: Amendment[CteOsRequest]) -> At | None:
    """Refuses a complement with another mode."""
    is_given = "modal" in amendment.request.model_fields_set
    is_other = amendment.request.modal.kind is not amendment.original.modal.kind
    return At("modal.kind") if is_given and is_other else None

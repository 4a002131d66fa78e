"""Rules that compare a complement or substitution with the CT-e OS that it corrects."""

from carimbo.fiscal.documents.cteos.request import CteOsRequest
from carimbo.fiscal.transport.rules.original import Amendment, OriginalRules

RULES: OriginalRules[CteOsRequest] = OriginalRules()


def _other_taker(amendment: Amendment[CteOsRequest]) -> bool:
    given, original = amendment.request.taker_party, amendment.original.taker_party
    return given is not None and given.tax_id != (original.tax_id if original else None)


RULES.same(("552", "804"), "O tomador", "takerParty.taxId", _other_taker)

"""Rules about the purpose of a document: normal, complement or substitution."""

from collections.abc import Iterator

from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.rules import At, RuleBook
from carimbo.fiscal.transport.rules.rule import (
    NORMAL,
    SCHEMA_CODE,
    SUBSTITUTION,
    TransportCheck,
    TransportInput,
    manual,
)

RULES: RuleBook[TransportCheck] = RuleBook()

_VIRTUAL_CONTINGENCIES = (EmissionType.SVC_RS, EmissionType.SVC_SP)
_PURPOSE = manual("finalidade")


@RULES.rule("459", _PURPOSE, "O CT-e de complemento refere os CT-e que complementa.")
def complement_without_keys(document: TransportInput) -> At | None:
    """Refuses a complement that names no CT-e."""
    is_missing = document.is_complement and not document.request.complemented_access_keys
    return At("complementedAccessKeys") if is_missing else None


@RULES.rule("505", _PURPOSE, "O CT-e de substituição refere o CT-e que substitui.")
def substitution_without_key(document: TransportInput) -> At | None:
    """Refuses a substitution that names no CT-e."""
    is_missing = document.purpose == SUBSTITUTION and document.request.substitution is None
    return At("substitution") if is_missing else None


@RULES.rule("503", _PURPOSE, "O CT-e de substituição só tem emissão normal, e não em contingência.")
def substitution_in_contingency(document: TransportInput) -> At | None:
    """Refuses a substitution in contingency."""
    is_normal = document.emission_type == EmissionType.NORMAL
    return At("purpose") if document.purpose == SUBSTITUTION and not is_normal else None


@RULES.rule("517", _PURPOSE, "A contingência (SVC) só recebe CT-e com finalidade normal.")
def other_purpose_in_contingency(document: TransportInput) -> At | None:
    """Refuses a complement in a virtual contingency; 503 refuses a substitution."""
    is_other = document.purpose not in (NORMAL, SUBSTITUTION)
    return At("purpose") if is_other and document.emission_type in _VIRTUAL_CONTINGENCIES else None


@RULES.rule(
    SCHEMA_CODE,
    _PURPOSE,
    "O campo só vai com purpose {}.",
    hint="Retire o campo, ou informe purpose {}.",
)
def field_of_another_purpose(document: TransportInput) -> Iterator[At]:
    """Refuses the keys of corrected documents with another purpose."""
    request = document.request
    if request.substitution and document.purpose != SUBSTITUTION:
        yield At("substitution", values=("substitution",))
    if request.complemented_access_keys and not document.is_complement:
        yield At("complementedAccessKeys", values=("complement",))

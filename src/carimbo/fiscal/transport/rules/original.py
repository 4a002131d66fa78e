"""Rules that compare a complement or substitution with the document that it corrects."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from carimbo.fiscal.rules import At, Judgement, RuleBook, judge
from carimbo.fiscal.transport.hints import hint_of
from carimbo.fiscal.transport.places import place_of
from carimbo.fiscal.transport.request import ServicePurpose, TransportRequest
from carimbo.fiscal.transport.rules.corrected import COMPLEMENTED, REPLACED

COMPLEMENTED_MODE = "COMPLEMENTED_MODE"
"""The code of a complement with another mode than its original."""
RequestT = TypeVar("RequestT", bound=TransportRequest)


@dataclass(frozen=True, slots=True)
class Amendment(Generic[RequestT]):
    """The request for a complement or substitution, and that of the corrected document.

    Fields that the request leaves out are repeated from the original, so only given ones can differ.
    """

    request: RequestT
    original: RequestT
    position: int = 0
    """The place of the original among the complemented documents."""


Differs = Callable[[Amendment[RequestT]], bool]
"""Returns whether a request gives another value than the original has."""


class OriginalRules(Generic[RequestT]):
    """The rules of a document type about corrected documents: a book for each purpose.

    Those that all types have are in it from the start; a type adds its own.
    """

    def __init__(self) -> None:
        self.replaced: RuleBook[Any] = RuleBook()
        self.complemented: RuleBook[Any] = RuleBook()
        self.replaced.rule("571", REPLACED, "O CT-e substituído é um complemento.")(_replaced_complement)
        self.complemented.rule("491", COMPLEMENTED, "O CT-e complementado é outro complemento.")(
            _complemented_complement
        )
        self.same(("834", "835"), "O tipo do serviço", "serviceType", _other_service)
        self.same(("559", "811"), "O estado de início da prestação", "municipalityStartIbge", _other_start)
        self.same(("560", "812"), "O estado de término da prestação", "municipalityEndIbge", _other_end)
        self.complemented.rule(
            COMPLEMENTED_MODE,
            COMPLEMENTED,
            "O modal não é o do CT-e complementado.",
            hint="Retire modal, para que seja repetido, ou corrija modal.kind.",
        )(_other_mode)

    def same(self, codes: tuple[str, str], named: str, path: str, differs: Differs[RequestT]) -> None:
        """Adds a rule for substitutions and one for complements: both repeat a value of the original."""

        def check(amendment: Amendment[RequestT]) -> At | None:
            return At(path) if differs(amendment) else None

        replaced, complemented = codes
        self.replaced.rule(replaced, REPLACED, f"{named} não é o do CT-e substituído.")(check)
        self.complemented.rule(complemented, COMPLEMENTED, f"{named} não é o do CT-e complementado.")(check)

    def judge(self, amendment: Amendment[RequestT]) -> Judgement:
        """Checks a request against the document that it corrects."""
        is_complement = amendment.request.purpose is ServicePurpose.COMPLEMENT
        return judge((self.complemented if is_complement else self.replaced,), amendment, hint_of)


def _replaced_complement(amendment: Amendment[Any]) -> At | None:
    is_complement = amendment.original.purpose is ServicePurpose.COMPLEMENT
    return At("substitution.accessKey") if is_complement else None


def _complemented_complement(amendment: Amendment[Any]) -> At | None:
    is_complement = amendment.original.purpose is ServicePurpose.COMPLEMENT
    return At(f"complementedAccessKeys[{amendment.position}]") if is_complement else None


def _other_service(amendment: Amendment[Any]) -> bool:
    is_given = "service_type" in amendment.request.model_fields_set
    return is_given and amendment.request.service_type is not amendment.original.service_type


def _other_start(amendment: Amendment[Any]) -> bool:
    return _is_other_state(
        amendment.request.municipality_start_ibge, amendment.original.municipality_start_ibge
    )


def _other_end(amendment: Amendment[Any]) -> bool:
    return _is_other_state(amendment.request.municipality_end_ibge, amendment.original.municipality_end_ibge)


def _is_other_state(given: str | None, original: str | None) -> bool:
    """Returns whether a place is in another state; an original without places has no state."""
    state = place_of(original).state if original else None
    return given is not None and place_of(given).state != state


def _other_mode(amendment: Amendment[Any]) -> At | None:
    is_given = "modal" in amendment.request.model_fields_set
    is_other = amendment.request.modal.kind is not amendment.original.modal.kind
    return At("modal.kind") if is_given and is_other else None

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


def other_state(code_of: Callable[[RequestT], str | None]) -> Differs[RequestT]:
    """Returns whether two municipalities are in different states."""

    def differs(amendment: Amendment[RequestT]) -> bool:
        given, original = code_of(amendment.request), code_of(amendment.original)
        return (
            given is not None and original is not None and place_of(given).state != place_of(original).state
        )

    return differs


class OriginalRules(Generic[RequestT]):
    """The rules of a document type about corrected documents: a book for each purpose."""

    def __init__(self) -> None:
        self.replaced: RuleBook[Any] = RuleBook()
        self.complemented: RuleBook[Any] = RuleBook()
        self.replaced.rule("571", REPLACED, "O CT-e substituído é um complemento.")(_replaced_complement)
        self.complemented.rule("491", COMPLEMENTED, "O CT-e complementado é outro complemento.")(
            _complemented_complement
        )

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

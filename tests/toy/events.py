"""Events of a toy after its authorization, and numbers that are given up."""

from typing import Annotated

from pydantic import StringConstraints

from carimbo.fiscal.fields import Body
from carimbo.fiscal.filing import (
    AboutDocument,
    EventKind,
    Filed,
    Justification,
    Line,
    NumberRange,
    Teller,
    Voiding,
)
from carimbo.fiscal.lifecycle import Happening
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem
from carimbo.fiscal.signed_filing import SignedFiling
from toy.codes import LATE_CODE
from toy.xml import UnwritableField, element, in_root, joined, signed

ALTERNATIVE = "Emita outro documento que desfaça este."
MOST_CORRECTIONS = 3
_SHORTEST_PROTOCOL = 9


class CancellationRequest(Body):
    """Why a document is taken back."""

    justification: Justification = "Cancelamento solicitado pelo emitente"


class CorrectionRequest(Body):
    """What is corrected of a document."""

    correction: Annotated[Line, StringConstraints(min_length=15, max_length=1000)]


def _cancel(request: CancellationRequest, about: AboutDocument, teller: Teller) -> Filed:
    return _event("justification", request.justification, "cancellation", about, teller)


def _correct(request: CorrectionRequest, about: AboutDocument, teller: Teller) -> Filed:
    return _event("correction", request.correction, "correction", about, teller)


def _event(field: str, text: str, kind: str, about: AboutDocument, teller: Teller) -> Filed:
    if len(about.protocol) < _SHORTEST_PROTOCOL:
        return (Problem(SCHEMA_PROBLEM, "protocol", "O protocolo é curto demais."),)
    content = (
        f"<key>{about.access_key}</key><protocol>{about.protocol}</protocol>"
        f"<kind>{kind}</kind><sequence>{about.sequence}</sequence>"
    )
    return _filed("toyEvent", f"Event{about.access_key}{about.sequence}", content, field, text, teller)


def _void(numbers: NumberRange, teller: Teller) -> Filed:
    content = (
        f"<issuer>{teller.company.tax_id}</issuer><year>{numbers.year}</year><series>{numbers.series}</series>"
        f"<first>{numbers.first_number}</first><last>{numbers.last_number}</last>"
    )
    identifier = f"Void{numbers.series}n{numbers.first_number}n{numbers.last_number}"
    return _filed("toyVoid", identifier, content, "justification", numbers.justification, teller)


def _filed(tag: str, identifier: str, content: str, field: str, text: str, teller: Teller) -> Filed:
    try:
        words = element(field, "words", text)
    except UnwritableField as unwritable:
        return (unwritable.problem,)
    whole = f'<infToy Id="{identifier}">{content}{words}</infToy>'
    signature = signed(whole, identifier, teller.signer)
    return SignedFiling.of(in_root(tag, whole, signature.text))


CANCELLATION = EventKind(
    Happening.CANCELLATION,
    CancellationRequest,
    _cancel,
    late_codes=frozenset({LATE_CODE}),
    alternative=ALTERNATIVE,
)
CORRECTION = EventKind(Happening.CORRECTION, CorrectionRequest, _correct, most=MOST_CORRECTIONS)
VOIDING = Voiding(_void, joined)

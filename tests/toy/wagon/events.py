"""The only event of a wagon bill: its wagon has arrived."""

from functools import partial

from carimbo.fiscal.body.fields import Body, Text
from carimbo.fiscal.filing import EventKind, EventRoute, EventSubject, FilingIssuer, FilingResult
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.sefaz.events import issue
from carimbo.fiscal.layouts.sefaz.messages import registered_event
from carimbo.fiscal.lifecycle import CLOSES, CLOSING
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schemas
from carimbo.fiscal.sefaz_filing import signed_filing
from toy.wagon.layout import DIALECT, Arrival, Closing, WagonEvent


class ArrivalRequest(Body):
    """Where a wagon arrived."""

    city: Text


def _close(request: ArrivalRequest, about: EventSubject, issuer: FilingIssuer) -> FilingResult:
    detail = Closing(arrival=Arrival(protocol=about.protocol, city=request.city))
    return signed_filing(WagonEvent, _issue, detail, about, issuer)


def _issue(event: WagonEvent, signer: Signer, _schemas: Schemas) -> bytes | tuple[Problem, ...]:
    return issue(event, signer, lambda _: ())


ARRIVAL = EventKind(
    name=CLOSING,
    title="Encerramento",
    action="Encerrar",
    explanation="A autoridade registra a chegada.",
    route=EventRoute("POST", "/close", "close", "Encerra um vagão", "O vagão chegou."),
    request=ArrivalRequest,
    issue=_close,
    registered=partial(registered_event, DIALECT),
    print_name="Chegada-{key}.pdf",
    effect=CLOSES,
)

"""The only event of a wagon bill: its wagon has arrived."""

from functools import partial

from carimbo.fiscal.body.fields import Body, Text
from carimbo.fiscal.filing import EventKind, EventRoute, EventSubject, FilingIssuer, FilingResult
from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.layouts.sefaz.events import issue
from carimbo.fiscal.layouts.sefaz.messages import registered_event
from carimbo.fiscal.lifecycle import CLOSES, CLOSING
from carimbo.fiscal.signed_documents import SignedFiling
from toy.wagon.layout import DIALECT, Arrival, Closing, WagonEvent


class ArrivalRequest(Body):
    """Where a wagon arrived."""

    city: Text


def _close(request: ArrivalRequest, about: EventSubject, issuer: FilingIssuer) -> FilingResult:
    key = AccessKey.parse(about.access_key)
    event = WagonEvent(
        organ=key.state_code,
        environment=issuer.environment.code,
        tax_id=issuer.company.tax_id,
        access_key=key,
        occurred_at=about.occurred_at,
        sequence=about.sequence,
        detail=Closing(arrival=Arrival(protocol=about.protocol, city=request.city)),
    )
    signed = issue(event, issuer.signer, lambda _: ())
    return signed if isinstance(signed, tuple) else SignedFiling.of(signed)


ARRIVAL = EventKind(
    name=CLOSING,
    route=EventRoute("POST", "/close", "close", "Encerra um vagão", "O vagão chegou."),
    request=ArrivalRequest,
    issue=_close,
    registered=partial(registered_event, DIALECT),
    print_name="Chegada-{key}.pdf",
    effect=CLOSES,
)

"""A webhook receiver of a company, and a check of everything that it received."""

import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from standardwebhooks.webhooks import Webhook

from acceptance.fault_company import Company
from acceptance.fault_site import Site
from receiver import Received, Receiver, receiving
from support import TIMEOUT_SECONDS, data_of

# By the prefix of the names of events.
_GROUPS = {"nfe": "invoice", "nfse": "invoice", "nfce": "nfce", "cte": "cte", "mdfe": "mdfe"}
# Events of a CT-e OS have the names of those of a CT-e.
_PREFIXES = {"nfe": "nfe", "nfse": "nfse", "nfce": "nfce", "cte": "cte", "cteOs": "cte", "mdfe": "mdfe"}
_VERBS = {"authorized": "authorized", "canceled": "cancelled"}
# In the order in which a document gets them.
_STATUSES = tuple(_VERBS)
# Fewer than a test has, so that reading takes several pages.
_EVENTS_A_PAGE = 25
_DELIVERIES_A_PAGE = 100

Payload = Mapping[str, Any]


@dataclass(frozen=True)
class Listener:
    """A webhook of a company's subscription, and the receiver behind it."""

    company: Company
    receiver: Receiver
    id: str
    secret: str

    def count(self, status: str) -> str:
        """Returns an SQL expression: the number of its deliveries in a status."""
        return f"(select count(*) from deliveries where webhook_id = '{self.id}' and status = '{status}')"

    @property
    def under_way(self) -> str:
        """An SQL expression: the number of its deliveries that a worker has leased."""
        return f"(select count(lease_until) from deliveries where webhook_id = '{self.id}')"

    async def until_called(self, count: int) -> list[Received]:
        """Waits for a total number of calls."""
        return await self.receiver.until(count, TIMEOUT_SECONDS)

    def calls_of(self, call: Received) -> int:
        """Returns how often the event of a call was delivered."""
        return self._ids[call.headers["webhook-id"]]

    @property
    def _ids(self) -> Counter[str]:
        return Counter(call.headers["webhook-id"] for call in self.receiver.calls)

    def payloads(self) -> list[Payload]:
        """Returns the payloads of all calls in the order of arrival, after checking their signatures."""
        return [self._verified(call) for call in self.receiver.calls]

    def _verified(self, call: Received) -> Payload:
        Webhook(self.secret).verify(call.body, dict(call.headers))
        payload: Payload = json.loads(call.body)
        assert payload["id"] == call.headers["webhook-id"]
        return payload

    async def events(self) -> list[Payload]:
        """Returns the whole list of events, read page by page."""
        events: list[Payload] = []
        query: dict[str, Any] = {"limit": _EVENTS_A_PAGE}
        while True:
            page = (await self.company.http.get("/v1/events", params=query)).json()
            events += page["data"]
            if not page["pageInfo"]["hasMore"]:
                return events
            query["after"] = page["pageInfo"]["nextCursor"]

    async def log(self) -> list[Payload]:
        """Returns the log of deliveries."""
        query = {"pageSize": _DELIVERIES_A_PAGE}
        answer = await self.company.http.get(f"/v1/webhooks/{self.id}/deliveries", params=query)
        return list(data_of(answer))


@asynccontextmanager
async def listening(company: Company) -> AsyncIterator[Listener]:
    """Registers a webhook for all events of a company's documents, with a receiver behind it."""
    events: dict[str, list[str]] = {}
    for prefix, group in _GROUPS.items():
        events.setdefault(group, []).extend(f"{prefix}.{verb}" for verb in _VERBS.values())
    async with receiving() as receiver:
        body = {"url": f"{receiver.url}/hook", "events": events}
        created = data_of(await company.http.post("/v1/webhooks", json=body))
        yield Listener(company, receiver, created["id"], created["secret"])


async def contradictions_of_deliveries(site: Site, listener: Listener) -> list[str]:
    """Lists everything that is wrong when all status changes should have been delivered."""
    documents = await site.fetch(
        "select id::text, type, status from documents where company_id = $1", listener.company.id
    )
    events, calls = await listener.events(), listener.payloads()
    return [
        *_not_listed_once([dict(row) for row in documents], events),
        *_not_delivered(events, calls),
        *_out_of_order(calls),
        *_not_logged(events, await listener.log()),
    ]


def _not_listed_once(documents: Sequence[Mapping[str, Any]], events: Sequence[Payload]) -> Iterator[str]:
    """Each status change of a document is one event, and there are no others."""
    expected = Counter(
        (row["id"], f"{_PREFIXES[row['type']]}.{_VERBS[status]}")
        for row in documents
        for status in _STATUSES[: _STATUSES.index(row["status"]) + 1]
    )
    listed = Counter((event["data"]["id"], event["event"]) for event in events)
    for change in expected | listed:
        if (expected[change], listed[change]) != (1, 1):
            yield f"{change} happened {expected[change]} times and is listed {listed[change]} times"


def _not_delivered(events: Sequence[Payload], calls: Sequence[Payload]) -> Iterator[str]:
    """Each event is delivered at least once, always as it is listed; nothing else is delivered."""
    listed = {_essence(event) for event in events}
    delivered = {_essence(call) for call in calls}
    yield from (f"{event} was never delivered" for event in listed - delivered)
    yield from (f"{event} was delivered but is not listed" for event in delivered - listed)


def _essence(payload: Payload) -> tuple[str, ...]:
    """Returns the part that is the same in every delivery: links change each time."""
    data = {name: value for name, value in payload["data"].items() if name not in ("pdfUrl", "xmlUrl")}
    return payload["id"], payload["event"], payload["createdAt"], json.dumps(data, sort_keys=True)


def _out_of_order(calls: Sequence[Payload]) -> Iterator[str]:
    first: dict[str, list[str]] = {}
    for call in calls:
        statuses = first.setdefault(call["data"]["id"], [])
        if call["data"]["status"] not in statuses:
            statuses.append(call["data"]["status"])
    for document, statuses in first.items():
        if statuses != sorted(statuses, key=_STATUSES.index):
            yield f"the statuses of {document} were first delivered in the order {statuses}"


def _not_logged(events: Sequence[Payload], log: Sequence[Payload]) -> Iterator[str]:
    """The log has one delivery of each event, and all of them succeeded."""
    logged, listed = Counter(entry["eventId"] for entry in log), Counter(event["id"] for event in events)
    for event in logged | listed:
        if (logged[event], listed[event]) != (1, 1):
            yield f"event {event} is in the log {logged[event]} times"
    for entry in log:
        if entry["status"] != "delivered":
            yield f"delivery {entry['id']} is {entry['status']}"

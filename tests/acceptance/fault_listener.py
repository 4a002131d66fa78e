"""Somebody who listens to a company, and the judge of what he was told."""

import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from standardwebhooks.webhooks import Webhook

from acceptance.fault_company import KINDS, Company
from acceptance.fault_site import Site
from receiver import Received, Receiver, receiving
from support import PATIENCE, data_of

_GROUPS = {"nfe": "invoice", "nfse": "invoice", "nfce": "nfce"}
_VERBS = {"authorized": "authorized", "canceled": "cancelled"}
# In the order in which they come over a document.
_STATUSES = tuple(_VERBS)
# Fewer than a test has, so that it takes several.
_EVENTS_A_PAGE = 25
_DELIVERIES_A_PAGE = 100

Told = Mapping[str, Any]


@dataclass(frozen=True)
class Listener:
    """A webhook of a company's subscription, and the receiver behind it."""

    company: Company
    receiver: Receiver
    id: str
    secret: str

    def count(self, status: str) -> str:
        """An SQL expression: how many deliveries to it have a status."""
        return f"(select count(*) from deliveries where webhook_id = '{self.id}' and status = '{status}')"

    @property
    def under_way(self) -> str:
        """An SQL expression: how many deliveries to it are in some worker's hands."""
        return f"(select count(lease_until) from deliveries where webhook_id = '{self.id}')"

    async def until_called(self, count: int) -> list[Received]:
        """Wait for so many calls in all."""
        return await self.receiver.until(count, PATIENCE)

    def calls_of(self, call: Received) -> int:
        """How often the event of a call was told."""
        return self._ids[call.headers["webhook-id"]]

    @property
    def _ids(self) -> Counter[str]:
        return Counter(call.headers["webhook-id"] for call in self.receiver.calls)

    def told(self) -> list[Told]:
        """What every call said, in the order of arrival; each must be signed."""
        return [self._verified(call) for call in self.receiver.calls]

    def _verified(self, call: Received) -> Told:
        Webhook(self.secret).verify(call.body, dict(call.headers))
        told: Told = json.loads(call.body)
        assert told["id"] == call.headers["webhook-id"]
        return told

    async def events(self) -> list[Told]:
        """Everything that the list of events has, read page by page."""
        events: list[Told] = []
        asked: dict[str, Any] = {"limit": _EVENTS_A_PAGE}
        while True:
            page = (await self.company.http.get("/v1/events", params=asked)).json()
            events += page["data"]
            if not page["pageInfo"]["hasMore"]:
                return events
            asked["after"] = page["pageInfo"]["nextCursor"]

    async def log(self) -> list[Told]:
        """What the log of deliveries has."""
        asked = {"pageSize": _DELIVERIES_A_PAGE}
        answer = await self.company.http.get(f"/v1/webhooks/{self.id}/deliveries", params=asked)
        return list(data_of(answer))


@asynccontextmanager
async def listening(company: Company) -> AsyncIterator[Listener]:
    """Let somebody listen to everything that becomes of a company's documents."""
    events: dict[str, list[str]] = {}
    for kind in KINDS:
        events.setdefault(_GROUPS[kind], []).extend(f"{kind}.{verb}" for verb in _VERBS.values())
    async with receiving() as receiver:
        body = {"url": f"{receiver.url}/hook", "events": events}
        created = data_of(await company.http.post("/v1/webhooks", json=body))
        yield Listener(company, receiver, created["id"], created["secret"])


async def contradictions_of_telling(site: Site, listener: Listener) -> list[str]:
    """Everything that is wrong once all that became of documents should have been told."""
    documents = await site.fetch(
        "select id::text, type, status from documents where company_id = $1", listener.company.id
    )
    events, calls = await listener.events(), listener.told()
    return [
        *_not_listed_once([dict(row) for row in documents], events),
        *_not_told(events, calls),
        *_out_of_order(calls),
        *_not_logged(events, await listener.log()),
    ]


def _not_listed_once(documents: Sequence[Mapping[str, Any]], events: Sequence[Told]) -> Iterator[str]:
    """What became of each document is one event, and there are no others."""
    became = Counter(
        (row["id"], f"{row['type']}.{_VERBS[status]}")
        for row in documents
        for status in _STATUSES[: _STATUSES.index(row["status"]) + 1]
    )
    listed = Counter((event["data"]["id"], event["event"]) for event in events)
    for one in became | listed:
        if (became[one], listed[one]) != (1, 1):
            yield f"{one} happened {became[one]} times and is listed {listed[one]} times"


def _not_told(events: Sequence[Told], calls: Sequence[Told]) -> Iterator[str]:
    """Each event is told, however often, and always as it is listed; nothing else is."""
    listed = {_essence(event) for event in events}
    told = {_essence(call) for call in calls}
    yield from (f"{one} was never told" for one in listed - told)
    yield from (f"{one} was made up" for one in told - listed)


def _essence(told: Told) -> tuple[str, ...]:
    """What is the same however often it is told: links begin anew every time."""
    data = {name: value for name, value in told["data"].items() if name not in ("pdfUrl", "xmlUrl")}
    return told["id"], told["event"], told["createdAt"], json.dumps(data, sort_keys=True)


def _out_of_order(calls: Sequence[Told]) -> Iterator[str]:
    first: dict[str, list[str]] = {}
    for call in calls:
        statuses = first.setdefault(call["data"]["id"], [])
        if call["data"]["status"] not in statuses:
            statuses.append(call["data"]["status"])
    for document, statuses in first.items():
        if statuses != sorted(statuses, key=_STATUSES.index):
            yield f"of {document} was told first {statuses}"


def _not_logged(events: Sequence[Told], log: Sequence[Told]) -> Iterator[str]:
    """The log has a delivery of each event, and each came to a good end."""
    logged, listed = Counter(one["eventId"] for one in log), Counter(event["id"] for event in events)
    for event in logged | listed:
        if (logged[event], listed[event]) != (1, 1):
            yield f"event {event} is in the log {logged[event]} times"
    for one in log:
        if one["status"] != "delivered":
            yield f"delivery {one['id']} is {one['status']}"

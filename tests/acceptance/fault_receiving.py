"""Companies that receive what a supplier issues to them, and ways to let time pass for their streams."""

from collections import Counter
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any
from uuid import UUID

from acceptance.fault_company import Company, order, register
from acceptance.fault_site import EVENT, Site
from carimbo.fiscal.identity.access_key import AccessKey, event_id

PAGES, SINGLE = "distNSU", "consNSU"
"""The kinds of questions to the distribution."""
SCIENCE, CONFIRMED = "210210", "210200"
"""The official codes of statements."""
HOUR = timedelta(hours=1)
# Longer than any rest or block of a stream.
_SECONDS = 4200
_SERVICE = "NFeDistribuicaoDFe"
# The simulator's switches: the authority blocks who asks too often, as the real one does.
_STRICT = {"limits": True}
_LAX = {"limits": False, "clockOffsetSeconds": None, "distributionPage": None}
_ADDRESS = {
    "zipcode": "01310100", "street": "Avenida Paulista", "number": "1000",
    "district": "Bela Vista", "city": "São Paulo", "state": "SP",
}  # fmt: skip
# What moves back when time passes, and the rows of the companies $1.
_MOMENTS = {
    "stream_calls": ("at",),
    "manifestations": ("next_action_at", "lease_until"),
    "receptions": ("next_action_at",),
    "streams": ("ask_at", "blocked_until", "asked_at", "answered_at", "next_action_at"),
}
_STREAMS = "in (select stream_id from receptions where company_id = any($1::uuid[]))"
_ROWS = {
    "stream_calls": f"stream_id {_STREAMS}",
    "manifestations": "company_id = any($1::uuid[])",
    "receptions": "company_id = any($1::uuid[])",
    "streams": f"id {_STREAMS}",
}
_RECEIVED = """
    select d.company_id, d.access_key, d.status, d.has_full_xml,
        array(select m.type || ' ' || m.state from manifestations m
            where m.subscription_id = d.subscription_id and m.document_id = d.id
            order by m.created_at) as statements,
        array(select e.topic from events e
            where e.subscription_id = d.subscription_id and e.company_id = d.company_id
                and e.details ->> 'accessKey' = d.access_key
            order by e.topic) as events
    from received_documents d where d.company_id = any($1::uuid[])
"""
_UNFINISHED = """
    select count(*) as pages from stream_pages p join streams s on s.id = p.stream_id
    where s.tax_id = $1 and p.question like 'after:%'
        and substring(convert_from(p.body, 'UTF8') from '<ultNSU>([0-9]+)')::bigint
            < substring(convert_from(p.body, 'UTF8') from '<maxNSU>([0-9]+)')::bigint
"""
_EVENTS_OF_EACH = ["receivedNfe.completed", "receivedNfe.created"]


@dataclass(frozen=True)
class Market:
    """Companies that buy from one supplier; all of them issue and receive at the same authority."""

    site: Site
    supplier: Company
    buyers: list[Company] = field(default_factory=list)

    async def new_buyer(self) -> Company:
        """Registers a company that follows nothing yet."""
        self.buyers.append(await register(self.supplier.http, self.site.folder / "simulator"))
        return self.buyers[-1]

    async def issue_to(self, buyers: Collection[Company], copies: int = 1) -> dict[str, list[str]]:
        """Has the supplier issue NF-e with the running worker; returns their keys by company."""
        documents = [(buyer, await self._issue(buyer)) for buyer in buyers for _ in range(copies)]
        await self.site.until_settled(self.supplier)
        keys: dict[str, list[str]] = {}
        for buyer, document in documents:
            record = await self.supplier.read(f"nfe/{document}")
            assert record["status"] == "authorized", record
            keys.setdefault(buyer.id, []).append(record["accessKey"])
        return keys

    async def _issue(self, buyer: Company) -> str:
        recipient = {
            "taxId": buyer.tax_id,
            "name": "Loja Compradora",
            "stateRegistration": "110042490114",
            "address": _ADDRESS,
        }
        answer = await self.supplier.post_order("nfe", order("nfe") | {"recipient": recipient})
        assert answer.status_code == 202, answer.text
        return str(answer.json()["data"]["id"])

    async def until_quiet(self) -> None:
        """Waits until the streams of all that follow rest, and all that came is read and acknowledged."""
        await self.site.until(
            f"(select coalesce(bool_and({_rests('s')} and {_rests('r')}), true) from receptions r"
            f" join streams s on s.id = r.stream_id where r.company_id in ({self._id_list}))"
            f" and not exists (select from manifestations m where m.company_id in ({self._id_list})"
            f" and not {_is_later('m')})"
        )

    async def until_stated(self) -> None:
        """Waits until the outcome of every statement is stored."""
        await self.site.until(
            f"not exists (select from manifestations where company_id in ({self._id_list})"
            " and state not in ('registered', 'refused'))"
        )

    async def end_leases_of_lots(self) -> None:
        """Ends the leases of lots whose worker froze, as time would."""
        await self.site.fetch(
            "update manifestations set lease_until = now(),"
            " next_action_at = case when next_action_at is not null then now() end"
            " where lease_until is not null and company_id = any($1::uuid[])",
            self._ids,
        )

    async def wake_streams(self) -> None:
        """Makes all streams due, as a worker does whose clock is wrong."""
        await self.site.fetch(
            "update streams set next_action_at = now() where tax_id = any($1)",
            [buyer.tax_id for buyer in self.buyers],
        )

    async def put_off_reading(self, buyer: Company) -> None:
        """Lets no worker look at the documents of a company until there are some."""
        await self.site.fetch(
            "update receptions set next_action_at = null where company_id = $1", UUID(buyer.id)
        )

    async def received(self) -> Counter[str]:
        """Returns how many documents each company has received, by its id."""
        rows = await self.site.fetch(_RECEIVED, self._ids)
        return Counter(str(row["company_id"]) for row in rows)

    async def an_hour_passes(self) -> None:
        """Lets more than an hour pass: the authority's clock is set, and the rows of all work move back."""
        controls = (await self.site.control.get("/controls")).json()
        await self.site.switch(clockOffsetSeconds=controls["clockOffsetSeconds"] + _SECONDS)
        await self.rows_age()

    async def rows_age(self) -> None:
        """Lets more than an hour pass for the rows of all work, and not for the authority."""
        for table, moments in _MOMENTS.items():
            moved = ", ".join(f"{name} = {name} - interval '{_SECONDS} seconds'" for name in moments)
            await self.site.fetch(f"update {table} set {moved} where {_ROWS[table]}", self._ids)

    async def gaps(self) -> dict[str, list[tuple[int, int, str, bool]]]:
        """Returns the gaps of each stream by its CNPJ, and whether they are filled."""
        rows = await self.site.fetch(
            "select s.tax_id, g.first_nsu, g.last_nsu, g.reason, g.filled_at is not null as is_filled"
            " from stream_gaps g join streams s on s.id = g.stream_id where s.tax_id = any($1) order by 2",
            [buyer.tax_id for buyer in self.buyers],
        )
        gaps: dict[str, list[tuple[int, int, str, bool]]] = {}
        for tax_id, *gap in rows:
            gaps.setdefault(tax_id, []).append(tuple(gap))
        return gaps

    async def contradictions(self, keys: Mapping[str, Sequence[str]]) -> list[str]:
        """Lists everything that is wrong when each NF-e should be received and acknowledged once."""
        rows = [dict(row) for row in await self.site.fetch(_RECEIVED, self._ids)]
        received = Counter((str(row["company_id"]), row["access_key"]) for row in rows)
        issued = Counter((buyer, key) for buyer, of_buyer in keys.items() for key in of_buyer)
        wrong = [
            f"{key} was issued {issued[key]} times and received {received[key]} times"
            for key in received | issued
            if issued[key] != received[key]
        ]
        for row in rows:
            wrong += _flaws(row)
        for _, key in issued:
            registered = await statements_at_authority(self.site, key)
            if registered != [SCIENCE]:
                wrong.append(f"the authority has registered the events {registered} of {key}")
        return wrong

    async def leave(self) -> None:
        """Ends the work of all streams after a test."""
        await self.site.fetch(
            "update receptions set is_active = false, next_action_at = null"
            " where company_id = any($1::uuid[])",
            self._ids,
        )
        await self.site.fetch(
            "update streams set next_action_at = null, lease_until = null where tax_id = any($1)",
            [buyer.tax_id for buyer in self.buyers],
        )

    @property
    def _id_list(self) -> str:
        return ", ".join(f"'{buyer.id}'" for buyer in self.buyers)

    @property
    def _ids(self) -> list[UUID]:
        return [UUID(buyer.id) for buyer in self.buyers]


@asynccontextmanager
async def open_market(site: Site, supplier: Company) -> AsyncIterator[Market]:
    """Makes the authority strict for the length of a block, after which no company follows any more."""
    market = Market(site, supplier)
    try:
        await site.switch(**_STRICT)
        yield market
    finally:
        await site.switch(**_LAX)
        await market.leave()


async def follow(buyer: Company) -> None:
    """Makes a company follow the distribution, from which it gets documents at once."""
    answer = await buyer.http.post(f"/v1/companies/{buyer.id}/received-nfes/sync")
    assert answer.status_code == 202, answer.text


async def confirm(buyer: Company, document_id: str) -> Any:
    """Makes the company state that it got the goods, and returns the answer."""
    path = f"/v1/companies/{buyer.id}/received-nfes/{document_id}/manifest"
    answer = await buyer.http.post(path, json={"type": "confirmed"})
    assert answer.status_code in (200, 202), answer.text
    return answer.json()["data"]


async def questions(site: Site, buyer: Company, kind: str = PAGES) -> list[dict[str, Any]]:
    """Returns what the authority noted of the questions about a company, oldest first."""
    query: dict[str, str | int] = {"subject": f"{buyer.tax_id} {kind}", "service": _SERVICE, "limit": 100}
    return list((await site.control.get("/journal", params=query)).json())


async def codes(site: Site, buyer: Company, kind: str = PAGES) -> list[str]:
    """Returns the authority's answers to the questions about a company, oldest first."""
    return [entry["code"] for entry in await questions(site, buyer, kind)]


async def hurried(site: Site, buyer: Company) -> int:
    """Returns how many questions for a page came within an hour after another one."""
    moments = [datetime.fromisoformat(entry["at"]) for entry in await questions(site, buyer)]
    return sum(later - earlier < HOUR for earlier, later in pairwise(moments))


async def unfinished(site: Site, buyer: Company) -> int:
    """Returns how many answers said that the authority had more: the next question may come at once."""
    (row,) = await site.fetch(_UNFINISHED, buyer.tax_id)
    return int(row["pages"])


async def statements_at_authority(site: Site, access_key: str) -> list[str]:
    """Returns the codes of the events of an NF-e that the authority has registered."""
    events = (await site.control.get("/events", params={"key": access_key})).json()
    return [event["type"] for event in events]


async def sent_statements(site: Site, buyer: Company, access_key: str, code: str) -> list[dict[str, Any]]:
    """Returns what the authority received from a company as its statement about an NF-e, oldest first."""
    subject = event_id(code, AccessKey.parse(access_key), 1)
    return [entry for entry in await site.sent(buyer, EVENT) if entry["subject"] == subject]


def _is_later(table: str) -> str:
    return f"coalesce({table}.next_action_at > now() + interval '5 seconds', true)"


def _rests(table: str) -> str:
    return f"{_is_later(table)} and {table}.lease_until is null"


def _flaws(row: dict[str, Any]) -> Iterator[str]:
    key = row["access_key"]
    if (row["status"], row["has_full_xml"]) != ("science", True):
        yield f"{key} is {row['status']}, and {'whole' if row['has_full_xml'] else 'a summary'}"
    if row["statements"] != ["science registered"]:
        yield f"the statements about {key} are {row['statements']}"
    if row["events"] != _EVENTS_OF_EACH:
        yield f"the events of {key} are {row['events']}"

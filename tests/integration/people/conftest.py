"""Fixtures for people: a context with fast hashes, a clock that a test moves, and new subscriptions."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import randrange
from typing import Any
from uuid import UUID, uuid4

import pytest
from argon2 import PasswordHasher

from carimbo.service.access import Authenticator
from carimbo.service.people.context import LinkPurpose, SignInContext, Visitor
from carimbo.service.people.passwords import Passwords
from carimbo.service.people.people import invite
from carimbo.service.people.roles import MemberRole
from carimbo.service.people.sessions import SignedIn
from carimbo.service.people.sign_in import use_link
from carimbo.service.subscriptions import create_subscription
from carimbo.storage.database import Database
from carimbo.storage.identifiers import NIL
from carimbo.storage.people import PersonRow

PASSWORD = "um cavalo de bateria correto"
OTHER_PASSWORD = "grampo azul no varal da praia"


@dataclass
class MovedClock:
    """The machine's time, plus what a test adds to it, until the test stops it."""

    offset: timedelta = field(default_factory=timedelta)
    stopped_at: datetime | None = None

    def __call__(self) -> datetime:
        return self.stopped_at or datetime.now(UTC) + self.offset

    def stop(self) -> None:
        self.stopped_at = self()


def new_email() -> str:
    return f"{uuid4().hex}@example.com"


def new_visitor() -> Visitor:
    """Returns a visitor with an address of their own, as attempts of an address are limited."""
    return Visitor(f"10.{randrange(256)}.{randrange(256)}.{randrange(256)}", "Navegador/1.0")


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@pytest.fixture
def context(database: Database, clock: MovedClock) -> SignInContext:
    passwords = Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    return SignInContext(database, clock, "https://emissor.example", None, passwords)


NewSubscription = Callable[[], Awaitable[UUID]]


@pytest.fixture
def new_subscription(authenticator: Authenticator) -> NewSubscription:
    async def create() -> UUID:
        return (await create_subscription(authenticator, "Loja Modelo", "unlimited")).subscription_id

    return create


@pytest.fixture
async def subscription_id(new_subscription: NewSubscription) -> UUID:
    return await new_subscription()


NewPerson = Callable[..., Awaitable[SignedIn]]


@pytest.fixture
def new_person(context: SignInContext) -> NewPerson:
    """Creates people who accepted an invitation, with a fresh session."""

    async def create(
        subscription_id: UUID | None = None,
        role: MemberRole = MemberRole.OWNER,
        company_ids: list[UUID] | None = None,
        email: str | None = None,
    ) -> SignedIn:
        invitation = await invite(
            context.database,
            email or new_email(),
            "Ana Lima",
            subscription_id=subscription_id,
            role=role,
            company_ids=company_ids,
            is_operator=subscription_id is None,
            now=context.clock(),
        )
        purpose = LinkPurpose.INVITATION
        signed_in = await use_link(context, invitation.token, purpose, new_visitor(), password=PASSWORD)
        assert isinstance(signed_in, SignedIn)
        return signed_in

    return create


@pytest.fixture
async def ana(new_person: NewPerson, subscription_id: UUID) -> SignedIn:
    """An owner with a session."""
    return await new_person(subscription_id)


async def actions_about(database: Database, person: PersonRow, subscription_id: UUID = NIL) -> list[str]:
    """Returns what the audit of a subscription has about a person, oldest first."""
    async with database.connection() as connection:
        rows = await connection.fetch(
            "select action from audit_entries where subscription_id = $1 and subject_id = $2"
            " order by created_at, id",
            subscription_id,
            str(person.id),
        )
    return [row["action"] for row in rows]


async def authors_of(database: Database, action: str, person: PersonRow) -> list[dict[str, Any]]:
    """Returns who did something about a person, as the audit of the installation stores them."""
    async with database.connection() as connection:
        rows = await connection.fetch(
            "select actor from audit_entries where subscription_id = $1 and action = $2 and subject_id = $3",
            NIL,
            action,
            str(person.id),
        )
    return [row["actor"] for row in rows]

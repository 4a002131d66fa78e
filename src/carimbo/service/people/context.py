"""The context of signing in, besides the database: hashes of passwords, time, e-mail, limits on attempts."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from ipaddress import IPv6Address, ip_address
from typing import Any
from uuid import UUID, uuid5

import structlog

from carimbo.service.network_address import plain_address
from carimbo.service.people.passwords import Passwords
from carimbo.service.ports import Mailer
from carimbo.service.throttling import require_admitted
from carimbo.storage.database import Database, Tenant
from carimbo.storage.identifiers import NIL
from carimbo.storage.rate_limits import Rate, forget

_log = structlog.get_logger("carimbo.people")
_MAX_IN_BACKGROUND = 100
_KEPT_CHARACTERS = 300


class LinkPurpose(StrEnum):
    """The purpose of a link."""

    INVITATION = "invitation"
    RESET = "reset"
    SIGN_IN = "signIn"


_PATHS = {
    LinkPurpose.INVITATION: "convite",
    LinkPurpose.RESET: "redefinir",
    LinkPurpose.SIGN_IN: "entrar/link",
}


def link_address(link_base: str, purpose: LinkPurpose, token: str) -> str:
    """Returns the address of a link in the dashboard."""
    return f"{link_base}/painel/{_PATHS[purpose]}/{token}"


@dataclass(frozen=True)
class Visitor:
    """Where a request comes from: the address of the client, and the name of its browser."""

    address: str | None
    user_agent: str | None

    @property
    def shown_user_agent(self) -> str | None:
        """The name of the browser as it is stored."""
        return self.user_agent and self.user_agent.replace("\0", "")[:_KEPT_CHARACTERS]

    @property
    def network(self) -> str:
        """The address that is limited: a household has a whole /64 of IPv6 addresses."""
        plain = plain_address(self.address or "")
        if plain is None:
            return "unknown"
        address = ip_address(plain)
        return str(int(address) >> 64) if isinstance(address, IPv6Address) else plain


class BackgroundTasks:
    """Background work: no answer waits for it, so callers can't measure how long it takes."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Starts work; it is dropped if too much of it is running. Failures are logged."""
        if len(self._tasks) >= _MAX_IN_BACKGROUND:
            work.close()
            _log.warning("background_work_dropped", work=name)
            return
        task = asyncio.create_task(_logged(work, name))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def finish(self) -> None:
        """Waits until all work is done."""
        while self._tasks:
            await asyncio.gather(*self._tasks)


async def _logged(work: Coroutine[Any, Any, None], name: str) -> None:
    try:
        await work
    except Exception as error:
        _log.error("background_work_failed", work=name, exc_info=error)


@dataclass(frozen=True)
class SignInContext:
    """Everything needed to sign people in."""

    database: Database
    clock: Callable[[], datetime]
    """The machine's time, as that of PostgreSQL; not the clock that dates documents."""
    link_base: str
    """The public address, without a slash at its end."""
    mailer: Mailer | None
    """None if e-mail is not configured."""
    passwords: Passwords = field(default_factory=Passwords, compare=False)
    background: BackgroundTasks = field(default_factory=BackgroundTasks, compare=False)

    @property
    def sends_email(self) -> bool:
        """Whether links can be sent by e-mail."""
        return self.mailer is not None


class AttemptLimit(StrEnum):
    """The attempts that are limited, each by its own key."""

    ACCOUNT = "account"
    ACCOUNT_ON_NETWORK = "accountOnNetwork"
    ADDRESS = "address"
    CODE = "code"
    CONFIRMATION = "confirmation"
    PASSKEY_CHALLENGE = "challenge"
    RESET = "reset"
    RESET_ON_NETWORK = "resetOnNetwork"


_RATES = {
    AttemptLimit.ACCOUNT: Rate(20, timedelta(seconds=30)),
    AttemptLimit.ACCOUNT_ON_NETWORK: Rate(5, timedelta(seconds=30)),
    AttemptLimit.ADDRESS: Rate.per_minute(30),
    AttemptLimit.CODE: Rate(5, timedelta(minutes=15)),
    AttemptLimit.CONFIRMATION: Rate(5, timedelta(seconds=30)),
    AttemptLimit.PASSKEY_CHALLENGE: Rate.per_minute(30),
    AttemptLimit.RESET: Rate(10, timedelta(minutes=5)),
    AttemptLimit.RESET_ON_NETWORK: Rate(3, timedelta(minutes=5)),
}


async def count_attempt(context: SignInContext, limit: AttemptLimit, value: str) -> None:
    """Counts an attempt, or refuses it with the seconds to wait.

    `value` is what the limit counts by: an address, or the id of a person or a session.
    """
    await require_admitted(context.database, _key(limit, value), _RATES[limit])


async def count_attempt_on_account(
    context: SignInContext,
    email: str | None,
    visitor: Visitor,
    *,
    on_network: AttemptLimit,
    everywhere: AttemptLimit,
) -> None:
    """Counts an attempt of a visitor on an account by the network, by both, and by the account.

    The limit of the account alone is looser: one visitor with wrong passwords does not lock the account for
    everybody. A text that is no e-mail address counts as an account of the network.
    """
    account = email or visitor.network
    await count_attempt(context, AttemptLimit.ADDRESS, visitor.network)
    await count_attempt(context, on_network, f"{visitor.network} {account}")
    await count_attempt(context, everywhere, account)


async def forget_attempts(installation: Tenant, limit: AttemptLimit, value: str) -> None:
    """Deletes the counted attempts after a successful one."""
    await forget(installation.connection, _key(limit, value))


def _key(limit: AttemptLimit, value: str) -> UUID:
    return uuid5(NIL, f"{limit}:{value}")

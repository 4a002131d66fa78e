"""Sessions: starting, finding, listing and ending them."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from carimbo.service.errors import ErrorCode, Refusal, not_found
from carimbo.service.people.context import AttemptLimit, SignInContext, Visitor, count_attempt
from carimbo.service.people.identity import CODE_NEEDED, CodeNeeded, confirmed_person, verified_person
from carimbo.service.people.people import Membership
from carimbo.service.people.roles import MemberRole
from carimbo.service.people.tokens import new_token, token_hash
from carimbo.storage.actors import Actor
from carimbo.storage.audit import AuditAction
from carimbo.storage.database import Database, Tenant
from carimbo.storage.identifiers import NIL, new_id
from carimbo.storage.people import People, PersonRow
from carimbo.storage.sessions import FoundSession, NewSession, SessionRow, Sessions

FRESH_FOR = timedelta(minutes=10)
LIFETIME = timedelta(days=14)
_TOKEN_LENGTH = 43
"""The characters of a token; a longer text is not looked up."""


class SignInMethod(StrEnum):
    """How a person signed in."""

    PASSWORD = "password"  # noqa: S105
    PASSKEY = "passkey"
    LINK = "link"


@dataclass(frozen=True, kw_only=True)
class Session:
    """A session with all that a page needs to know of its person."""

    id: UUID
    person: PersonRow
    memberships: tuple[Membership, ...]
    """By the name of the subscription."""
    form_token: str = field(repr=False)
    authenticated_at: datetime
    """When the person last proved who they are."""
    method: SignInMethod
    token_hash: bytes = field(repr=False)
    """Of the token that the request came with."""

    @property
    def actor(self) -> Actor:
        """The person as the author of changes."""
        return self.person.actor

    def is_fresh(self, now: datetime) -> bool:
        """Returns whether the person proved who they are within minutes. `now` is the machine's time."""
        return now - self.authenticated_at < FRESH_FOR

    def membership_in(self, subscription_id: UUID) -> Membership | None:
        """Returns what the person may do in a subscription; None if they are not a member."""
        return next((m for m in self.memberships if m.subscription.id == subscription_id), None)


class SessionEnded(Refusal):
    """The session ended while its request was on the way, so the request must not change anything."""

    def __init__(self) -> None:
        super().__init__(ErrorCode.INVALID_SIGN_IN, "Sua sessão terminou: entre de novo.")


@dataclass(frozen=True)
class SignedIn:
    """A session with its token, which only the browser keeps."""

    token: str = field(repr=False)
    session: Session


async def find_session(database: Database, token: str) -> Session | None:
    """Returns the session of a token; None if it has ended, or its person may no longer sign in."""
    if len(token) != _TOKEN_LENGTH:
        return None
    hash_ = token_hash(token)
    async with database.connection() as connection:
        existing = await Sessions(connection).find(hash_)
    return None if existing is None else _session(existing, hash_)


def _session(row: FoundSession, hash_: bytes) -> Session:
    return Session(
        id=row.id,
        person=row.person,
        memberships=tuple(
            Membership(
                membership.subscription,
                MemberRole(membership.role),
                None if membership.company_ids is None else frozenset(membership.company_ids),
            )
            for membership in row.memberships
        ),
        form_token=row.form_token,
        authenticated_at=row.authenticated_at,
        method=SignInMethod(row.method),
        token_hash=hash_,
    )


async def start_session(
    installation: Tenant, person: PersonRow, method: SignInMethod, visitor: Visitor
) -> str | None:
    """Starts a session and returns its token; None if the person was disabled meanwhile."""
    if not await People(installation.connection).mark_signed_in(person.id):
        return None
    token = new_token()
    session = NewSession(
        hash=token_hash(token),
        id=new_id(),
        person_id=person.id,
        method=method,
        address=visitor.address,
        user_agent=visitor.shown_user_agent,
        form_token=new_token(),
        lifetime=LIFETIME,
    )
    await Sessions(installation.connection).add(session)
    await installation.audit.add(
        AuditAction.SESSION_STARTED,
        subject_id=person.id,
        subject_name=person.email,
        details={"method": method.value},
    )
    return token


async def signed_in_with(context: SignInContext, token: str | None) -> SignedIn:
    """Returns the session of a new token; refuses if it has ended already."""
    session = await find_session(context.database, token) if token else None
    if token is None or session is None:
        raise Refusal(ErrorCode.INVALID_SIGN_IN)
    return SignedIn(token, session)


async def confirm_identity(
    context: SignInContext, session: Session, password: str, code: str | None, visitor: Visitor
) -> SignedIn | CodeNeeded:
    """Confirms by password, and code if there is a second factor, who uses a session; it gets a new token.

    Attempts are limited by session, so that strangers who try to sign in do not lock its person out.
    """
    await count_attempt(context, AttemptLimit.ADDRESS, visitor.network)
    await count_attempt(context, AttemptLimit.CONFIRMATION, str(session.id))
    verified = await verified_person(context, session.person.email, password, code)
    async with context.database.acting_as(session.actor).tenant(NIL) as installation:
        confirmed = await confirmed_person(context, installation, verified, code)
        if isinstance(confirmed, CodeNeeded):
            return CODE_NEEDED
        token = await renewed_token(installation, session)
    return await signed_in_with(context, token)


async def renewed_token(installation: Tenant, session: Session) -> str | None:
    """Gives a session a new token after its person confirmed who they are.

    Returns None if it has ended, or got another token meanwhile.
    """
    token = new_token()
    sessions = Sessions(installation.connection)
    return token if await sessions.renew(session.token_hash, token_hash(token), is_confirmed=True) else None


async def locked_person(installation: Tenant, session: Session) -> PersonRow:
    """Locks the person of a session for a change of their account, and returns them as they are now.

    Raises SessionEnded if the session has ended since its request came. A reset locks the person too, so no
    change of an ended session follows it.
    """
    locked = await People(installation.connection).lock(session.person.id)
    if locked is None or not await Sessions(installation.connection).lives(session.token_hash):
        raise SessionEnded
    return locked.person


async def keep_only(installation: Tenant, session: Session) -> tuple[str, int]:
    """Ends the other sessions of a locked person; returns a new token for this one, and how many ended.

    The new token ends copies of this session's cookie. It does not make the session fresh.
    """
    token, sessions = new_token(), Sessions(installation.connection)
    count = await sessions.end_all(session.person.id, except_id=session.id)
    if not await sessions.renew(session.token_hash, token_hash(token), is_confirmed=False):
        raise SessionEnded
    return token, count


def require_fresh(context: SignInContext, session: Session) -> None:
    """Refuses a change that needs a recent proof of who uses the session."""
    if not session.is_fresh(context.clock()):
        raise Refusal(ErrorCode.CONFIRMATION_REQUIRED)


async def list_sessions(database: Database, person_id: UUID) -> list[SessionRow]:
    """Returns the sessions of a person, last used first."""
    async with database.connection() as connection:
        return await Sessions(connection).all(person_id)


async def end_session(database: Database, person_id: UUID, session_id: UUID) -> None:
    """Ends a session of a person."""
    async with database.tenant(NIL) as installation:
        if not await Sessions(installation.connection).end(person_id, session_id):
            raise not_found("Esta sessão já terminou.")
        await installation.audit.add(AuditAction.SESSION_ENDED, subject_id=person_id)


async def end_other_sessions(database: Database, session: Session) -> str:
    """Ends all sessions of the person but this one, and returns its new token."""
    async with database.acting_as(session.actor).tenant(NIL) as installation:
        await locked_person(installation, session)
        token, count = await keep_only(installation, session)
        if count:
            await installation.audit.add(
                AuditAction.SESSION_ENDED,
                subject_id=session.person.id,
                subject_name=session.person.email,
                details={"count": count},
            )
    return token


async def sign_out(database: Database, session: Session) -> None:
    """Ends this session; ending it twice changes nothing."""
    async with database.acting_as(session.actor).tenant(NIL) as installation:
        if await Sessions(installation.connection).end(session.person.id, session.id):
            await installation.audit.add(
                AuditAction.SESSION_ENDED, subject_id=session.person.id, subject_name=session.person.email
            )

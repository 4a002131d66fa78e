"""E-mails with links: to known accounts only, and nobody waits for them."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from carimbo.outbound.message import MailSender
from carimbo.outbound.smtp import SmtpMailer
from carimbo.outbound.smtp_options import Security, SmtpOptions
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.people.context import LinkPurpose, SignInContext
from carimbo.service.people.new_links import ask_for_reset, create_reset_link, send_invitation
from carimbo.service.people.passkeys import (
    RelyingParty,
    register_passkey,
    registration_options,
    remove_passkey,
)
from carimbo.service.people.people import invite, set_disabled
from carimbo.service.people.second_factor import (
    begin_second_factor,
    disable_second_factor,
    enable_second_factor,
)
from carimbo.service.people.sessions import SignedIn, signed_in_with
from carimbo.service.people.sign_in import change_password, use_link
from carimbo.storage.actors import SCHEDULE
from carimbo.storage.people import People
from carimbo.storage.person_links import PersonLinks
from integration.people.authenticator import SoftwareAuthenticator
from integration.people.codes import code_at
from integration.people.conftest import (
    OTHER_PASSWORD,
    PASSWORD,
    actions_about,
    authors_of,
    new_email,
    new_visitor,
)
from smtp_server import SmtpServer, running_smtp_server
from support import BLOCKED_SESSIONS, LOOPBACK, TIMEOUT_SECONDS, free_port, wait_until_true


@pytest.fixture(scope="module")
async def mail_server() -> AsyncIterator[SmtpServer]:
    async with running_smtp_server(free_port()) as server:
        yield server


@pytest.fixture
def mailing(context: SignInContext, mail_server: SmtpServer) -> SignInContext:
    options = SmtpOptions(
        host=LOOPBACK,
        port=mail_server.port,
        security=Security.NONE,
        username=None,
        password=None,
        seconds=30,
        ca_file=None,
    )
    mailer = SmtpMailer(options, MailSender("painel@example.com"), lambda: datetime.now(UTC))
    return replace(context, mailer=mailer)


def link_in(text: str, path: str) -> str:
    """Returns the token of the link in an e-mail."""
    [line] = [line for line in text.splitlines() if line.startswith("https://")]
    base, _, token = line.rpartition("/")
    assert base == f"https://emissor.example/painel/{path}"
    return token


async def test_link_in_the_e_mail_resets_the_password(
    mailing: SignInContext, mail_server: SmtpServer, ana: SignedIn
) -> None:
    email = ana.session.person.email
    await ask_for_reset(mailing, f" {email.upper()}", new_visitor())
    await mailing.background.finish()
    [mail] = mail_server.sent_to(email)
    assert mail.message["Subject"] == "Carimbo: criar uma nova senha"
    assert mail.message["From"] == "Carimbo <painel@example.com>"
    token = link_in(mail.text, "redefinir")
    signed_in = await use_link(mailing, token, LinkPurpose.RESET, new_visitor(), password=OTHER_PASSWORD)
    assert isinstance(signed_in, SignedIn)
    # Anybody can type an address into the public page: the audit does not name its owner as the author.
    [author] = await authors_of(mailing.database, "password.publicResetRequested", ana.session.person)
    assert author == SCHEDULE.as_json()
    assert "password.resetRequested" not in await actions_about(mailing.database, ana.session.person)


async def test_unknown_and_disabled_accounts_get_the_same_answer_and_no_e_mail(
    mailing: SignInContext, mail_server: SmtpServer, ana: SignedIn
) -> None:
    await set_disabled(mailing.database, ana.session.person.id, is_disabled=True)
    for email in (ana.session.person.email, new_email(), "no address"):
        await ask_for_reset(mailing, email, new_visitor())
        await mailing.background.finish()
        assert mail_server.sent_to(email) == []


async def test_request_for_a_reset_and_the_end_of_an_account_do_not_block_each_other(
    mailing: SignInContext, mail_server: SmtpServer, ana: SignedIn
) -> None:
    person = ana.session.person
    await create_reset_link(mailing.database, person.email, mailing.clock())
    async with mailing.database.connection() as watching:
        await watching.execute(
            "update person_links set expires_at = now() - interval '1 hour' where person_id = $1", person.id
        )
        # As disabling does: first the person, then their links.
        async with mailing.database.transaction() as connection:
            await People(connection).lock(person.id)
            await ask_for_reset(mailing, person.email, new_visitor())
            await wait_until_true(watching.fetch, f"{BLOCKED_SESSIONS} > 0", TIMEOUT_SECONDS)
            await PersonLinks(connection).delete_all(person.id)
    await mailing.background.finish()
    assert len(mail_server.sent_to(person.email)) == 1


async def test_answer_does_not_wait_for_a_mail_server_that_hangs(
    mailing: SignInContext, mail_server: SmtpServer, ana: SignedIn
) -> None:
    email = ana.session.person.email
    mail_server.is_awake.clear()
    await ask_for_reset(mailing, email, new_visitor())
    assert mail_server.sent_to(email) == []
    mail_server.is_awake.set()
    await mailing.background.finish()
    assert len(mail_server.sent_to(email)) == 1


async def test_fourth_request_for_an_account_waits_whether_it_exists_or_not(
    mailing: SignInContext, ana: SignedIn
) -> None:
    for email in (ana.session.person.email, new_email()):
        visitor = new_visitor()
        for _ in range(3):
            await ask_for_reset(mailing, email, visitor)
        with pytest.raises(Refusal) as refused:
            await ask_for_reset(mailing, email, visitor)
        assert refused.value.code is ErrorCode.RATE_LIMIT_EXCEEDED
        await ask_for_reset(mailing, email, new_visitor())
    await mailing.background.finish()


async def test_account_gets_at_most_ten_e_mails_at_once_from_all_networks(
    mailing: SignInContext, mail_server: SmtpServer, ana: SignedIn
) -> None:
    email = ana.session.person.email
    for _ in range(10):
        await ask_for_reset(mailing, email, new_visitor())
    with pytest.raises(Refusal) as refused:
        await ask_for_reset(mailing, email, new_visitor())
    assert refused.value.code is ErrorCode.RATE_LIMIT_EXCEEDED
    await mailing.background.finish()
    assert len(mail_server.sent_to(email)) == 10


async def test_person_hears_of_changes_in_how_to_sign_in(
    mailing: SignInContext, mail_server: SmtpServer, ana: SignedIn
) -> None:
    party = RelyingParty("emissor.example", "https://emissor.example")
    request = await registration_options(mailing, ana.session, party)
    answer = SoftwareAuthenticator().register(request.options)
    passkey = await register_passkey(mailing, ana.session, party, request.id, answer, None)
    begun = await begin_second_factor(mailing, ana.session)
    code = code_at(begun.secret, mailing.clock())
    ana = await signed_in_with(mailing, await enable_second_factor(mailing, ana.session, code))
    await disable_second_factor(mailing, ana.session)
    ana = await signed_in_with(mailing, await remove_passkey(mailing, ana.session, passkey.id))
    await change_password(mailing, ana.session, OTHER_PASSWORD)
    email = ana.session.person.email
    reset = await create_reset_link(mailing.database, email, mailing.clock())
    await use_link(mailing, reset.token, LinkPurpose.RESET, new_visitor(), password=PASSWORD)
    await mailing.background.finish()
    changes = sorted(mail.text.splitlines()[0] for mail in mail_server.sent_to(email))
    assert changes == [
        "A senha da sua conta do Carimbo foi trocada.",
        "A senha da sua conta do Carimbo foi trocada.",
        "O segundo fator da sua conta do Carimbo foi desligado.",
        "O segundo fator da sua conta do Carimbo foi ligado.",
        "Uma chave de acesso da sua conta do Carimbo foi removida.",
        "Uma chave de acesso foi acrescentada à sua conta do Carimbo.",
    ]


async def test_person_hears_when_a_link_of_the_operator_removes_the_second_factor(
    mailing: SignInContext, mail_server: SmtpServer, ana: SignedIn
) -> None:
    begun = await begin_second_factor(mailing, ana.session)
    await enable_second_factor(mailing, ana.session, code_at(begun.secret, mailing.clock()))
    email, clock = ana.session.person.email, mailing.clock
    reset = await create_reset_link(mailing.database, email, clock(), removes_second_factor=True)
    await mailing.background.finish()
    removed = "O segundo fator da sua conta do Carimbo foi desligado."
    assert not any(removed in mail.text for mail in mail_server.sent_to(email))
    await use_link(mailing, reset.token, LinkPurpose.RESET, new_visitor(), password=OTHER_PASSWORD)
    await mailing.background.finish()
    assert any(removed in mail.text for mail in mail_server.sent_to(email))


async def test_invitation_arrives_by_e_mail(mailing: SignInContext, mail_server: SmtpServer) -> None:
    invitation = await invite(mailing.database, new_email(), is_operator=True, now=mailing.clock())
    send_invitation(mailing, invitation)
    await mailing.background.finish()
    [mail] = mail_server.sent_to(invitation.person.email)
    assert link_in(mail.text, "convite") == invitation.token


async def test_without_a_mail_server_nothing_is_sent_and_no_link_is_made(
    context: SignInContext, ana: SignedIn
) -> None:
    await ask_for_reset(context, ana.session.person.email, new_visitor())
    await context.background.finish()
    assert "password.publicResetRequested" not in await actions_about(context.database, ana.session.person)

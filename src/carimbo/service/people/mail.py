"""E-mails to people: sending them, and the notice that the way to sign in to an account has changed."""

from enum import StrEnum

from carimbo.service.delivery.email_message import TextEmail
from carimbo.service.people.context import SignInContext
from carimbo.storage.identifiers import new_id
from carimbo.storage.people import PersonRow

_SUBJECT = "Carimbo: mudança na segurança da sua conta"
_TEXT = """{change}

Se foi você, não precisa fazer nada. Se não foi, peça logo uma nova senha na página de entrada do Carimbo
e avise quem opera esta instalação.
"""


class SecurityChange(StrEnum):
    """A change that a person should hear of, as the e-mail says it."""

    PASSWORD_CHANGED = "A senha da sua conta do Carimbo foi trocada."  # noqa: S105 - a sentence
    PASSKEY_ADDED = "Uma chave de acesso foi acrescentada à sua conta do Carimbo."
    PASSKEY_REMOVED = "Uma chave de acesso da sua conta do Carimbo foi removida."
    SECOND_FACTOR_ADDED = "O segundo fator da sua conta do Carimbo foi ligado."
    SECOND_FACTOR_REMOVED = "O segundo fator da sua conta do Carimbo foi desligado."


async def send_text(context: SignInContext, address: str, subject: str, text: str) -> None:
    """Sends an e-mail of plain text, if e-mail is configured."""
    if context.mailer is not None:
        await context.mailer.send_text(TextEmail(id=new_id(), to=(address,), subject=subject, text=text))


def send_notice(context: SignInContext, person: PersonRow, change: SecurityChange) -> None:
    """Sends the notice of a change in the background, if e-mail is configured."""
    if context.sends_email:
        work = send_text(context, person.email, _SUBJECT, _TEXT.format(change=change.value))
        context.background.start(work, "security_notice")

"""Builds the mailer, which the API and the worker both need."""

from carimbo.main.process import now
from carimbo.outbound.mail_folder import MailFolder
from carimbo.outbound.message import MailSender
from carimbo.outbound.smtp import SmtpMailer
from carimbo.service.ports import Mailer
from carimbo.settings import Settings


def mailer_of(settings: Settings) -> Mailer | None:
    """Returns the mailer of the settings, a folder or a mail server; None if there is none."""
    if settings.email_from is None:
        return None
    sender = MailSender(settings.email_from)
    if settings.email_folder:
        return MailFolder(settings.email_folder, sender, now)
    return SmtpMailer(settings.smtp_options, sender, now) if settings.smtp_host else None

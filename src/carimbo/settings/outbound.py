"""What leaves the house but for the authorities: webhooks and e-mails."""

from pydantic import BaseModel, Field, SecretStr

from carimbo.outbound.allowed_hosts import AllowedHosts
from carimbo.outbound.smtp import Security, SmtpOptions
from carimbo.service.delivery.mailbox import PlainEmail
from carimbo.service.delivery.retry import RetrySchedule
from carimbo.settings.values import (
    CertificatesFile,
    Days,
    Folder,
    Host,
    Hosts,
    Pauses,
    Port,
    Seconds,
)


class OutboundSettings(BaseModel):
    """Webhooks and e-mails."""

    webhook_seconds: Seconds = Field(
        default=15, description="How long a webhook may take, from the connection to the end of the answer."
    )
    webhook_allowed_hosts: Hosts = Field(
        default="",
        description="Hosts that webhooks may reach though their addresses are not public, by http:// too, as "
        "`intranet.example,10.0.0.7:8080`: names or addresses, each with a port or with all.",
    )
    webhook_ca_file: CertificatesFile | None = Field(
        default=None,
        description="PEM file with certificate authorities that certify receivers of webhooks, besides those "
        "of web browsers.",
    )
    webhook_retry_seconds: Pauses = Field(
        default="5,300,1800,7200,18000",
        description="Pauses before the retries of a webhook that did not answer 2xx, at most five, separated "
        "by commas; each is lengthened by up to a fifth, by chance.",
    )
    webhook_disable_days: Days = Field(
        default=5, description="A webhook is disabled after so long of nothing but failures."
    )
    webhook_concurrency: int = Field(
        default=200,
        ge=1,
        le=5000,
        description="Deliveries that one worker has under way at once to webhooks that answer quickly, and "
        "as many again to all others.",
    )
    webhook_concurrency_each: int = Field(
        default=5,
        ge=1,
        le=100,
        description="Deliveries that one worker has under way at once to the same webhook, if it answers "
        "quickly; else there is but one.",
    )
    webhook_history_days: int = Field(
        default=30, ge=1, description="Days that settled deliveries are kept, with their attempts."
    )
    smtp_host: Host = Field(
        default="",
        description="Mail server that documents are sent by e-mail through, by its name or address; with it "
        "comes `email_from`. Without it no e-mail is sent.",
    )
    smtp_port: Port = Field(default=587, description="Port of the mail server.")
    smtp_security: Security = Field(
        default=Security.STARTTLS,
        description="`starttls`, `tls` from the first byte (mostly port 465), or `none`; no password goes to "
        "another machine by that.",
    )
    smtp_username: str = Field(default="", description="Who we are to the mail server, if it asks.")
    smtp_password: SecretStr = Field(default=SecretStr(""), description="The password of that user.")
    smtp_ca_file: CertificatesFile | None = Field(
        default=None,
        description="PEM file with certificate authorities that certify the mail server, besides those of "
        "the system.",
    )
    smtp_seconds: Seconds = Field(
        default=30, description="How long a whole conversation with the mail server may take."
    )
    email_from: PlainEmail | None = Field(
        default=None, description="Address that e-mails are sent from, under the name of each company."
    )
    email_folder: Folder | None = Field(
        default=None,
        description="Folder that e-mails are written to, as `.eml`; it takes the place of `smtp_host`.",
    )
    email_retry_seconds: Pauses = Field(
        default="60,300,1800,7200,18000",
        description="Pauses before the retries of an e-mail that the mail server did not take for now, at "
        "most five, separated by commas; each is lengthened by up to a fifth, by chance.",
    )
    email_history_days: int = Field(
        default=90, ge=1, description="Days that settled e-mails stay in the log of their documents."
    )

    @property
    def allowed_hosts(self) -> AllowedHosts:
        return AllowedHosts.parse(self.webhook_allowed_hosts)

    @property
    def webhook_retries(self) -> RetrySchedule:
        return RetrySchedule.parse(self.webhook_retry_seconds)

    @property
    def sends_email(self) -> bool:
        return bool(self.smtp_host or self.email_folder)

    @property
    def email_retries(self) -> RetrySchedule:
        return RetrySchedule.parse(self.email_retry_seconds)

    @property
    def smtp_options(self) -> SmtpOptions:
        return SmtpOptions(
            host=self.smtp_host,
            port=self.smtp_port,
            security=self.smtp_security,
            username=self.smtp_username or None,
            password=self.smtp_password.get_secret_value() or None,
            ca_file=self.smtp_ca_file,
            seconds=self.smtp_seconds,
        )

"""Settings of webhooks and e-mails."""

from pydantic import BaseModel, Field, SecretStr

from carimbo.outbound.smtp_options import Security, SmtpOptions
from carimbo.outbound.target import AllowedHosts
from carimbo.service.delivery.email_message import PlainEmail
from carimbo.service.delivery.retry import RetrySchedule
from carimbo.settings.values import CertificatesFile, Days, Folder, Host, Hosts, Pauses, Port, Seconds


class OutboundSettings(BaseModel):
    """Webhooks and e-mails."""

    webhook_seconds: Seconds = Field(
        default=15, description="How long a webhook may take, from the connection to the end of the response."
    )
    webhook_allowed_hosts: Hosts = Field(
        default="",
        description="Hosts without public addresses that webhooks may call, also by http://, as "
        "`intranet.example,10.0.0.7:8080`: names or addresses; without a port, all ports are allowed.",
    )
    webhook_ca_file: CertificatesFile | None = Field(
        default=None,
        description="PEM file with certificate authorities to trust for receivers of webhooks, besides those "
        "of web browsers.",
    )
    webhook_retry_seconds: Pauses = Field(
        default="5,300,1800,7200,18000",
        description="Pauses before the retries of a webhook that did not answer 2xx, at most five, separated "
        "by commas; a random part of up to a fifth is added to each.",
    )
    webhook_disable_days: Days = Field(
        default=5, description="A webhook that has only failed for this many days is disabled."
    )
    webhook_concurrency: int = Field(
        default=200,
        ge=1,
        le=5000,
        description="Deliveries that one worker sends at once to webhooks that answer quickly; the same "
        "number applies to all others together.",
    )
    webhook_concurrency_each: int = Field(
        default=5,
        ge=1,
        le=100,
        description="Deliveries that one worker sends at once to the same webhook, if it answers quickly; "
        "otherwise only one.",
    )
    webhook_history_days: int = Field(
        default=30, ge=1, description="Days that settled deliveries are kept, with their attempts."
    )
    smtp_host: Host = Field(
        default="",
        description="Name or address of the mail server; it needs `email_from` too. Without a mail server "
        "no e-mail is sent.",
    )
    smtp_port: Port = Field(default=587, description="Port of the mail server.")
    smtp_security: Security = Field(
        default=Security.STARTTLS,
        description="`starttls`, `tls` from the first byte (mostly port 465), or `none`, which is refused "
        "with a password unless the server is on this machine.",
    )
    smtp_username: str = Field(default="", description="User name at the mail server, if it needs one.")
    smtp_password: SecretStr = Field(default=SecretStr(""), description="Password of that user.")
    smtp_ca_file: CertificatesFile | None = Field(
        default=None,
        description="PEM file with certificate authorities to trust for the mail server, besides those of "
        "the system.",
    )
    smtp_seconds: Seconds = Field(
        default=30, description="How long sending one e-mail through the mail server may take."
    )
    email_from: PlainEmail | None = Field(
        default=None, description="Address that e-mails are sent from, under the name of each company."
    )
    email_folder: Folder | None = Field(
        default=None,
        description="Folder that e-mails are written to, as `.eml`, instead of sending them by `smtp_host`.",
    )
    email_retry_seconds: Pauses = Field(
        default="60,300,1800,7200,18000",
        description="Pauses before the retries of an e-mail that the mail server refused temporarily, at "
        "most five, separated by commas; a random part of up to a fifth is added to each.",
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

"""Settings of the calls to the tax authorities, and of the technical responsible that documents name."""

from datetime import timedelta
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field, SecretStr

from carimbo import __version__
from carimbo.authorities.request import AuthorityTimeouts
from carimbo.service.waiting import Backoff
from carimbo.settings.values import File, Minutes, OptionalCnpj, Seconds

if TYPE_CHECKING:
    from carimbo.fiscal.issuance import Software

# Ten years, the limit of the simulator's clock too.
_MAX_CLOCK_OFFSET = 10 * 366 * 86_400


class AuthoritySettings(BaseModel):
    """How the tax authorities are called, and the company responsible for the software (infRespTec)."""

    simulator_url: str | None = Field(
        default=None,
        pattern=r"^https://[^/?#]+/?$",
        description="Where `carimbo simulator` runs, as `https://127.0.0.1:8443`: every call goes there "
        "instead of to the tax authorities.",
    )
    clock_offset_seconds: int = Field(
        default=0,
        ge=-_MAX_CLOCK_OFFSET,
        le=_MAX_CLOCK_OFFSET,
        description="Seconds that the service's clock is ahead of the machine's, to try the rules of another "
        "day; negative: behind. Accepted only with `simulator_url`; set the clock of its panel to the same.",
    )
    authority_ca_file: File | None = Field(
        default=None,
        description="PEM file with certificate authorities to trust for servers of the tax authorities, "
        "besides ICP-Brasil and those of web browsers; for example the simulator's.",
    )
    authority_connect_seconds: Seconds = Field(
        default=5,
        description="How long a connection to a tax authority may take; the TLS handshake may take as long.",
    )
    authority_read_seconds: Seconds = Field(
        default=30, description="How long a tax authority may take to answer."
    )
    authority_retry_first_seconds: Seconds = Field(
        default=2, description="First pause before a tax authority is tried again; pauses grow fourfold."
    )
    authority_retry_longest_seconds: Seconds = Field(
        default=900, description="Longest pause between attempts to reach a tax authority."
    )
    authority_certificates: int = Field(
        default=200,
        ge=1,
        description="Companies whose connections to the tax authorities one process keeps open.",
    )
    contingency_after_seconds: Seconds = Field(
        default=180,
        description="How long an authority must be out of service before NF-e are sent to its contingency "
        "authority (SVC).",
    )
    overdue_minutes: Minutes = Field(
        default=10,
        description="A document that is still processing after this time counts as overdue in metrics and "
        "in `GET /v1/companies/{companyId}/status`; the service goes on trying.",
    )
    responsible_tax_id: OptionalCnpj = Field(
        default="",
        description="CNPJ of the technical responsible for this installation (infRespTec), which many "
        "states require; it needs the contact, the e-mail and the phone too.",
    )
    responsible_contact: str = Field(
        default="", max_length=60, description="Contact person of the technical responsible (xContato)."
    )
    responsible_email: str = Field(
        default="", max_length=60, description="E-mail of the technical responsible (email)."
    )
    responsible_phone: str = Field(
        default="",
        pattern=r"^$|^[0-9]{6,14}$",
        description="Phone of the technical responsible, digits only (fone).",
    )
    responsible_csrt_id: str = Field(
        default="", pattern=r"^$|^[0-9]{2}$", description="Number of the state's security code (idCSRT)."
    )
    responsible_csrt: SecretStr = Field(
        default=SecretStr(""), description="The state's security code (CSRT), if the state issues one."
    )

    @property
    def authority_timeouts(self) -> AuthorityTimeouts:
        return AuthorityTimeouts(self.authority_connect_seconds, self.authority_read_seconds)

    @property
    def authority_backoff(self) -> Backoff:
        """Growing fourfold, so that a key is consulted at most nine times an hour (NT 2018.002)."""
        return Backoff(
            first=timedelta(seconds=self.authority_retry_first_seconds),
            max_pause=timedelta(seconds=self.authority_retry_longest_seconds),
            factor=4,
        )

    @property
    def clock_offset(self) -> timedelta:
        return timedelta(seconds=self.clock_offset_seconds)

    @property
    def contingency_after(self) -> timedelta:
        return timedelta(seconds=self.contingency_after_seconds)

    @property
    def overdue_after(self) -> timedelta:
        return timedelta(minutes=self.overdue_minutes)

    @property
    def software(self) -> "Software":
        """The program and its technical responsible, as documents name them."""
        # Imported here, because only processes that issue documents need the fiscal library.
        from carimbo.fiscal.issuance import Csrt, Software  # noqa: PLC0415
        from carimbo.fiscal.layouts.nfe_v4.parties import TechnicalResponsible  # noqa: PLC0415

        if not self.responsible_tax_id:
            return Software(f"carimbo {__version__}")
        responsible = TechnicalResponsible(
            cnpj=self.responsible_tax_id,
            contact=self.responsible_contact,
            email=self.responsible_email,
            phone=self.responsible_phone,
        )
        csrt = self.responsible_csrt.get_secret_value()
        return Software(
            f"carimbo {__version__}",
            responsible,
            Csrt(self.responsible_csrt_id, csrt) if self.responsible_csrt_id and csrt else None,
        )

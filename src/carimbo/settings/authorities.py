"""How the tax authorities are reached, and who answers for the software."""

from datetime import timedelta

from pydantic import BaseModel, Field, SecretStr

from carimbo import __version__
from carimbo.authorities.patience import Patience
from carimbo.fiscal.layouts.nfe_v4.parties import TechnicalResponsible
from carimbo.fiscal.software import Csrt, Software
from carimbo.service.backoff import Backoff
from carimbo.settings.values import (
    CnpjOrNothing,
    File,
    Minutes,
    Seconds,
)

# Ten years, as far as the clock of the simulator goes.
_FARTHEST_CLOCK = 10 * 366 * 86_400


class AuthoritySettings(BaseModel):
    """The way to the tax authorities."""

    simulator_url: str | None = Field(
        default=None,
        pattern=r"^https://[^/?#]+/?$",
        description="Where `carimbo simulator` runs, as `https://127.0.0.1:8443`: every call goes there "
        "instead of to the tax authorities.",
    )
    clock_offset_seconds: int = Field(
        default=0,
        ge=-_FARTHEST_CLOCK,
        le=_FARTHEST_CLOCK,
        description="Seconds that the service's clock is ahead of the machine's, to see the rules of another "
        "day; negative: behind. Accepted only with `simulator_url`, whose panel clock must be set alike.",
    )
    authority_ca_file: File | None = Field(
        default=None,
        description="PEM file with certificate authorities that certify servers of the tax authorities, "
        "besides those of ICP-Brasil and of web browsers; the simulator's, for one.",
    )
    authority_connect_seconds: Seconds = Field(
        default=5,
        description="How long a connection to a tax authority may take, and its TLS handshake as much again.",
    )
    authority_read_seconds: Seconds = Field(
        default=30, description="How long a tax authority may take to answer."
    )
    authority_retry_first_seconds: Seconds = Field(
        default=2,
        description="Pause before a tax authority that did not answer is asked again; it grows fourfold.",
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
        description="How long an authority must be out of service before NF-e go to the one that stands in "
        "for it (SVC).",
    )
    overdue_minutes: Minutes = Field(
        default=10,
        description="A document that is still on its way after so long counts as overdue in metrics and in "
        "`GET /v1/companies/{companyId}/status`; it goes on being tried.",
    )
    responsible_tax_id: CnpjOrNothing = Field(
        default="",
        description="CNPJ of whoever answers for this installation's software (infRespTec), which many "
        "states demand; with it come the contact, the e-mail and the phone.",
    )
    responsible_contact: str = Field(
        default="", max_length=60, description="Whom the tax authority asks for (xContato)."
    )
    responsible_email: str = Field(default="", max_length=60, description="Their e-mail (email).")
    responsible_phone: str = Field(
        default="", pattern=r"^$|^[0-9]{6,14}$", description="Their phone, digits only (fone)."
    )
    responsible_csrt_id: str = Field(
        default="", pattern=r"^$|^[0-9]{2}$", description="Number of the state's security code (idCSRT)."
    )
    responsible_csrt: SecretStr = Field(
        default=SecretStr(""), description="The state's security code itself (CSRT), where there is one."
    )

    @property
    def authority_patience(self) -> Patience:
        return Patience(self.authority_connect_seconds, self.authority_read_seconds)

    @property
    def authority_backoff(self) -> Backoff:
        """Fourfold, so that a key is consulted no more than nine times an hour (NT 2018.002)."""
        return Backoff(
            first=timedelta(seconds=self.authority_retry_first_seconds),
            longest=timedelta(seconds=self.authority_retry_longest_seconds),
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
    def software(self) -> Software:
        """The program as documents name it, and who answers for it."""
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

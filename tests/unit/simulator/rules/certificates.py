"""Certificates with one flaw each; all share one key, because generating keys is slow."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache, partial

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate, new_key
from carimbo.simulator.trust import CertificateFlaw
from support import CNPJ
from unit.fiscal.command_files import FAR_AWAY, LONG_AGO

Issue = Callable[[SampleAuthority], SampleCertificate]
_NAME = "LOJA MODELO LTDA"
_YESTERDAY = datetime(2026, 11, 13, tzinfo=UTC)
_OUTSIDE = x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Certificadora Particular")])


def of_company(
    authority: SampleAuthority, tax_id: str = CNPJ, until: datetime = FAR_AWAY
) -> SampleCertificate:
    """Returns a company's certificate."""
    return authority.issue_company(tax_id, _NAME, LONG_AGO, until, private_key=_key())


def of_person(authority: SampleAuthority, cpf: str) -> SampleCertificate:
    """Returns a person's certificate."""
    return authority.issue_person(cpf, "MARIA DA SILVA", LONG_AGO, FAR_AWAY, private_key=_key())


def _without(extension: type[x509.ExtensionType], authority: SampleAuthority) -> SampleCertificate:
    return _rebuilt(of_company(authority), authority, authority.certificate.subject, extension)


def _of_an_outsider(authority: SampleAuthority) -> SampleCertificate:
    return _rebuilt(of_company(authority), authority, _OUTSIDE)


def _of_an_impostor(authority: SampleAuthority) -> SampleCertificate:
    return of_company(SampleAuthority(authority.certificate, _key()))


def _rebuilt(
    good: SampleCertificate,
    authority: SampleAuthority,
    issuer: x509.Name,
    left_out: type[x509.ExtensionType] | None = None,
) -> SampleCertificate:
    builder = (
        x509.CertificateBuilder(issuer, good.certificate.subject)
        .public_key(good.certificate.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(good.certificate.not_valid_before_utc)
        .not_valid_after(good.certificate.not_valid_after_utc)
    )
    for extension in good.certificate.extensions:
        if left_out is None or not isinstance(extension.value, left_out):
            builder = builder.add_extension(extension.value, extension.critical)
    signed = builder.sign(authority.private_key, hashes.SHA256())
    return SampleCertificate(signed, authority.certificate, good.private_key)


@cache
def _key() -> rsa.RSAPrivateKey:
    return new_key()


FLAWED: dict[CertificateFlaw, Issue] = {
    CertificateFlaw.INVALID: partial(_without, x509.KeyUsage),
    CertificateFlaw.OUT_OF_DATE: partial(of_company, until=_YESTERDAY),
    CertificateFlaw.WITHOUT_TAX_ID: partial(_without, x509.SubjectAlternativeName),
    CertificateFlaw.BROKEN_CHAIN: _of_an_impostor,
    CertificateFlaw.NOT_ICP_BRASIL: _of_an_outsider,
}
"""Flaws of a certificate itself; it is revoked, or the list is unavailable, only afterwards."""

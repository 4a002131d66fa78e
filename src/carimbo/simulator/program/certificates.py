"""The simulator's certificates: of its authorities and server, in a folder, and of taxpayers."""

import fcntl
import os
import re
import ssl
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Self

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.serialization import Encoding, load_pem_private_key

from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from carimbo.simulator.identifiers import is_cnpj, is_cpf, plain_tax_id
from carimbo.simulator.signatures import SEFIN_CNPJ, SEFIN_NAME, AuthoritySigner
from carimbo.simulator.trust import CertificateFlaw, JudgedCertificate, TrustedAuthorities

MAX_DAYS = 365
"""Validity of a taxpayer's certificate."""
_SERVER_NAMES = ("localhost", "127.0.0.1", "::1")
_SERVER_VALIDITY = timedelta(days=397)
_RENEWED_BEFORE_END = timedelta(days=30)
_DAY = timedelta(days=1)
"""Certificates are valid from a day ago, because the clock of another machine can be behind."""
_SERIAL = re.compile(r"^\s*([0-9A-Fa-f]+)\s*$", re.MULTILINE)

_AUTHORITY, _UNLISTED, _OUTSIDE = "authority.pem", "unlisted.pem", "outside.pem"
_NAMES: Mapping[str, tuple[str, str]] = {
    _AUTHORITY: ("AC CARIMBO SIMULADOR", "ICP-Brasil"),
    _UNLISTED: ("AC CARIMBO FORA DA CADEIA", "ICP-Brasil"),
    _OUTSIDE: ("AC CARIMBO DE FORA", "Autoridade de fora da ICP"),
}
_ISSUERS: Mapping[CertificateFlaw | None, str] = {
    CertificateFlaw.BROKEN_CHAIN: _UNLISTED,
    CertificateFlaw.NOT_ICP_BRASIL: _OUTSIDE,
}
_SPOILED: Mapping[CertificateFlaw | None, Mapping[type[x509.ExtensionType], x509.ExtensionType | None]] = {
    CertificateFlaw.INVALID: {x509.BasicConstraints: x509.BasicConstraints(ca=True, path_length=None)},
    CertificateFlaw.WITHOUT_TAX_ID: {x509.SubjectAlternativeName: None},
}
# X509_V_FLAG_NO_CHECK_TIME of OpenSSL: an expired certificate passes, to be refused with 281 in SOAP.
_ANY_TIME = 0x200000


class CertificateProblem(Exception):
    """A certificate cannot be issued or read; the message is one sentence for the user."""


class CertificateFolder:
    """The simulator's own authority (`authority.pem`), in the role of ICP-Brasil, and its other files.

    Two more authorities pass the TLS handshake, so that the tax authorities' answers to their certificates
    can be tested: `unlisted.pem` claims to be of ICP-Brasil but is unknown, `outside.pem` does not claim it.
    """

    def __init__(self, folder: Path, authorities: Mapping[str, SampleAuthority]) -> None:
        self.ca_file = folder / "ca.pem"
        """The certificate that clients must trust."""
        self.server_file = folder / "server.pem"
        """Private key and certificates of the TLS server."""
        self._signer_file = folder / "sefin.pem"
        self.signer = AuthoritySigner(self._signer_file.read_bytes)
        """Signs the documents of the Sefin Nacional."""
        self.has_new_authority = False
        """Whether the authority was created when the folder was opened: no client trusts it yet."""
        self._revoked_file = folder / "revoked.txt"
        self._authorities = authorities
        self._trust = TrustedAuthorities((JudgedCertificate.of(authorities[_AUTHORITY].certificate),))
        self._revoked_state: tuple[int, int] | None = None

    @classmethod
    def open(cls, folder: Path, now: datetime, server_names: Sequence[str] = ()) -> Self:
        """Reads the folder, and creates what is missing or about to expire. Raises CertificateProblem."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with _alone_in(folder):
                is_new = not (folder / _AUTHORITY).exists()
                opened = cls(folder, {name: _authority_in(folder / name, now) for name in _NAMES})
                opened.has_new_authority = is_new
                opened._write_public()
                opened._renew_server((*_SERVER_NAMES, *server_names), now)
                opened._renew_signer(now)
                return opened
        except OSError as error:
            raise CertificateProblem(f"Não foi possível usar a pasta {folder}: {error.strerror}.") from None

    @property
    def client_authorities(self) -> str:
        """PEM of every authority whose certificates pass the TLS handshake."""
        return "".join(_public_pem(authority.certificate) for authority in self._authorities.values())

    def trust(self) -> TrustedAuthorities:
        """Returns the trust store; each line of `revoked.txt` is a serial number in hexadecimal."""
        try:
            status = self._revoked_file.stat()
        except FileNotFoundError:
            self._revoked_file.touch()
            status = self._revoked_file.stat()
        state = (status.st_mtime_ns, status.st_size)
        if state != self._revoked_state:
            serials = _SERIAL.findall(self._revoked_file.read_text(errors="replace"))
            revoked = frozenset(int(serial, 16) for serial in serials)
            self._trust, self._revoked_state = TrustedAuthorities(self._trust.authorities, revoked), state
        return self._trust

    def issue(
        self,
        tax_id: str,
        name: str,
        now: datetime,
        flaw: CertificateFlaw | None = None,
        days_left: int = MAX_DAYS,
    ) -> SampleCertificate:
        """Issues an e-CNPJ or e-CPF, with a flaw if requested. Raises CertificateProblem.

        Like all of ICP-Brasil it is valid for a year: one with few days left was issued long ago.
        """
        authority = self._authorities[_ISSUERS.get(flaw, _AUTHORITY)]
        end = now - _DAY if flaw is CertificateFlaw.OUT_OF_DATE else now + timedelta(days=days_left)
        issued = _issue(authority, tax_id, name, end - timedelta(days=MAX_DAYS) - _DAY, end)
        if changes := _SPOILED.get(flaw):
            issued = authority.reissue(issued, changes)
        if flaw is CertificateFlaw.REVOKED:
            with self._revoked_file.open("a") as file:
                file.write(f"{issued.certificate.serial_number:X}\n")
        return issued

    def _write_public(self) -> None:
        pem = _public_pem(self._authorities[_AUTHORITY].certificate)
        if not self.ca_file.exists() or self.ca_file.read_text() != pem:
            self.ca_file.write_text(pem)
        self._revoked_file.touch()

    def _renew_server(self, names: Sequence[str], now: datetime) -> None:
        authority = self._authorities[_AUTHORITY]
        if wrong := [name for name in names if not name.isascii()]:
            raise CertificateProblem(f"«{wrong[0]}» não serve de nome de um servidor.")
        if not _is_fit(self.server_file, authority, names, now):
            issued = authority.issue_server(names, now - _DAY, now + _SERVER_VALIDITY)
            _write_private(self.server_file, issued.to_pem())

    def _renew_signer(self, now: datetime) -> None:
        authority = self._authorities[_AUTHORITY]
        if not _is_fit(self._signer_file, authority, (), now):
            issued = authority.issue_company(SEFIN_CNPJ, SEFIN_NAME, now - _DAY, now + _SERVER_VALIDITY)
            _write_private(self._signer_file, issued.to_pem())


def _issue(
    authority: SampleAuthority, tax_id: str, name: str, begin: datetime, end: datetime
) -> SampleCertificate:
    plain = plain_tax_id(tax_id)
    if is_cnpj(plain):
        return authority.issue_company(plain, name, begin, end)
    if is_cpf(plain):
        return authority.issue_person(plain, name, begin, end)
    raise CertificateProblem(f"«{tax_id}» não é um CNPJ nem um CPF: confira os dígitos.")


def _authority_in(file: Path, now: datetime) -> SampleAuthority:
    if not file.exists():
        name, organization = _NAMES[file.name]
        authority = SampleAuthority.create(now - _DAY, name=name, organization=organization)
        _write_private(file, authority.to_pem())
    try:
        return SampleAuthority.from_pem(file.read_bytes())
    except (ValueError, TypeError):
        raise CertificateProblem(
            f"O arquivo {file} está danificado: apague-o, e os certificados feitos com ele deixam de valer."
        ) from None


def _is_fit(file: Path, authority: SampleAuthority, names: Sequence[str], now: datetime) -> bool:
    """Whether a file has a key and a certificate of the authority, for these names and with time left."""
    try:
        pem = file.read_bytes()
        load_pem_private_key(pem, None, unsafe_skip_rsa_key_validation=True)
        certificate = x509.load_pem_x509_certificate(pem)
        certificate.verify_directly_issued_by(authority.certificate)
        alternative_names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (FileNotFoundError, ValueError, InvalidSignature, x509.ExtensionNotFound):
        return False
    certified = {
        *alternative_names.get_values_for_type(x509.DNSName),
        *map(str, alternative_names.get_values_for_type(x509.IPAddress)),
    }
    return certified >= set(names) and now + _RENEWED_BEFORE_END < certificate.not_valid_after_utc


def _public_pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(Encoding.PEM).decode()


def _write_private(file: Path, content: bytes) -> None:
    """Writes a file that only its owner can read, atomically."""
    handle, draft = tempfile.mkstemp(dir=file.parent)
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)
    Path(draft).replace(file)


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Locks the folder: two processes that open a new folder must not create two authorities."""
    with (folder / "certificates.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def server_context(certificates: CertificateFolder) -> ssl.SSLContext:
    """Returns a context that requires a client certificate of an authority of the folder."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.verify_mode = ssl.CERT_REQUIRED
    context.verify_flags |= _ANY_TIME
    context.load_cert_chain(certificates.server_file)
    context.load_verify_locations(cadata=certificates.client_authorities)
    context.sslobject_class = _AlertingObject
    return context


class _AlertingObject(ssl.SSLObject):
    """Sends the alert of a failed handshake before closing, as the servers of the authorities do.

    When a handshake fails, asyncio closes the connection without writing the alert that OpenSSL has prepared.
    It does write while a handshake wants to read, so this class reports the failure in the next call, when
    the client sends more. A client that closes, or waits too long, ends the handshake anyway.
    """

    _failure: ssl.SSLError | None = None

    def do_handshake(self) -> None:
        """Continues the handshake; reports a failure in the next call."""
        if self._failure:
            raise self._failure
        try:
            super().do_handshake()
        except (ssl.SSLWantReadError, ssl.SSLSyscallError):
            raise
        except ssl.SSLError as error:
            self._failure = error
            raise ssl.SSLWantReadError from error

"""The simulator's certificates: those of its authorities and its server, in a folder, and of taxpayers."""

import fcntl
import os
import re
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
from carimbo.simulator.seal import OWNER, OWNER_NAME, Seal
from carimbo.simulator.tax_ids import is_cnpj, is_cpf, plain_tax_id
from carimbo.simulator.trust import Credential, Flaw, Trust

LONGEST_DAYS = 365
"""How long a taxpayer's certificate is good for."""
_SERVER_NAMES = ("localhost", "127.0.0.1", "::1")
_SERVER_VALIDITY = timedelta(days=397)
_RENEWED_BEFORE_END = timedelta(days=30)
_DAY = timedelta(days=1)
"""Certificates are valid from a day ago on: another machine's clock may be behind."""
_SERIAL = re.compile(r"^\s*([0-9A-Fa-f]+)\s*$", re.MULTILINE)

_AUTHORITY, _UNLISTED, _OUTSIDE = "authority.pem", "unlisted.pem", "outside.pem"
_NAMES: Mapping[str, tuple[str, str]] = {
    _AUTHORITY: ("AC CARIMBO SIMULADOR", "ICP-Brasil"),
    _UNLISTED: ("AC CARIMBO FORA DA CADEIA", "ICP-Brasil"),
    _OUTSIDE: ("AC CARIMBO DE FORA", "Autoridade de fora da ICP"),
}
_ISSUERS: Mapping[Flaw | None, str] = {Flaw.BROKEN_CHAIN: _UNLISTED, Flaw.NOT_ICP_BRASIL: _OUTSIDE}
_SPOILED: Mapping[Flaw | None, Mapping[type[x509.ExtensionType], x509.ExtensionType | None]] = {
    Flaw.INVALID: {x509.BasicConstraints: x509.BasicConstraints(ca=True, path_length=None)},
    Flaw.WITHOUT_TAX_ID: {x509.SubjectAlternativeName: None},
}


class CertificateProblem(Exception):
    """A certificate cannot be made or read; the message is one sentence for the user."""


class CertificateFolder:
    """The simulator's own authority (`authority.pem`), which stands for ICP-Brasil, and all that it needs.

    Two more authorities pass the TLS handshake, so that what an authority of the tax office says to their
    certificates can be seen: `unlisted.pem` says that it is of ICP-Brasil and nobody knows it, `outside.pem`
    does not even say so.
    """

    def __init__(self, folder: Path, authorities: Mapping[str, SampleAuthority]) -> None:
        self.ca_file = folder / "ca.pem"
        """What a client must trust."""
        self.server_file = folder / "server.pem"
        """Private key and certificates of the TLS server."""
        self._seal_file = folder / "sefin.pem"
        self.seal = Seal(self._seal_file.read_bytes)
        """What the Sefin Nacional signs its documents with."""
        self.has_new_authority = False
        """Whether the authority was made when the folder was opened: nobody trusts it yet."""
        self._revoked_file = folder / "revoked.txt"
        self._authorities = authorities
        self._trust = Trust((Credential.of(authorities[_AUTHORITY].certificate),))
        self._trust_mark: tuple[int, int] | None = None

    @classmethod
    def open(cls, folder: Path, now: datetime, server_names: Sequence[str] = ()) -> Self:
        """Read the folder, and make what is missing or about to end. Raises CertificateProblem."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with _alone_in(folder):
                is_new = not (folder / _AUTHORITY).exists()
                found = cls(folder, {name: _authority_in(folder / name, now) for name in _NAMES})
                found.has_new_authority = is_new
                found._write_public()
                found._renew_server((*_SERVER_NAMES, *server_names), now)
                found._renew_seal(now)
                return found
        except OSError as error:
            raise CertificateProblem(f"Não foi possível usar a pasta {folder}: {error.strerror}.") from None

    @property
    def client_authorities(self) -> str:
        """PEM of every authority whose certificates pass the TLS handshake."""
        return "".join(_public_pem(one.certificate) for one in self._authorities.values())

    def trust(self) -> Trust:
        """What the authorities believe; in `revoked.txt` each line is a serial number in hexadecimal."""
        try:
            status = self._revoked_file.stat()
        except FileNotFoundError:
            self._revoked_file.touch()
            status = self._revoked_file.stat()
        mark = (status.st_mtime_ns, status.st_size)
        if mark != self._trust_mark:
            serials = _SERIAL.findall(self._revoked_file.read_text(errors="replace"))
            revoked = frozenset(int(serial, 16) for serial in serials)
            self._trust, self._trust_mark = Trust(self._trust.authorities, revoked), mark
        return self._trust

    def issue(
        self, tax_id: str, name: str, now: datetime, flaw: Flaw | None = None, days_left: int = LONGEST_DAYS
    ) -> SampleCertificate:
        """Issue an e-CNPJ or e-CPF, with a flaw if one is asked for. Raises CertificateProblem.

        Like all of ICP-Brasil it is good for a year: one that has few days left was issued long ago.
        """
        authority = self._authorities[_ISSUERS.get(flaw, _AUTHORITY)]
        end = now - _DAY if flaw is Flaw.OUT_OF_DATE else now + timedelta(days=days_left)
        issued = _issue(authority, tax_id, name, end - timedelta(days=LONGEST_DAYS) - _DAY, end)
        if changes := _SPOILED.get(flaw):
            issued = authority.reissue(issued, changes)
        if flaw is Flaw.REVOKED:
            self._revoke(issued.certificate)
        return issued

    def _revoke(self, certificate: x509.Certificate) -> None:
        with self._revoked_file.open("a") as file:
            file.write(f"{certificate.serial_number:X}\n")

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

    def _renew_seal(self, now: datetime) -> None:
        authority = self._authorities[_AUTHORITY]
        if not _is_fit(self._seal_file, authority, (), now):
            issued = authority.issue_company(OWNER, OWNER_NAME, now - _DAY, now + _SERVER_VALIDITY)
            _write_private(self._seal_file, issued.to_pem())


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
        made = SampleAuthority.create(now - _DAY, name=name, organization=organization)
        _write_private(file, made.to_pem())
    try:
        return SampleAuthority.from_pem(file.read_bytes())
    except (ValueError, TypeError):
        raise CertificateProblem(
            f"O arquivo {file} está danificado: apague-o, e os certificados feitos com ele deixam de valer."
        ) from None


def _is_fit(file: Path, authority: SampleAuthority, names: Sequence[str], now: datetime) -> bool:
    """Tell whether a certificate in a file is the authority's, with its key, the names and time left."""
    try:
        pem = file.read_bytes()
        load_pem_private_key(pem, None, unsafe_skip_rsa_key_validation=True)
        found = x509.load_pem_x509_certificate(pem)
        found.verify_directly_issued_by(authority.certificate)
        told = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (FileNotFoundError, ValueError, InvalidSignature, x509.ExtensionNotFound):
        return False
    known = {*told.get_values_for_type(x509.DNSName), *map(str, told.get_values_for_type(x509.IPAddress))}
    return known >= set(names) and now + _RENEWED_BEFORE_END < found.not_valid_after_utc


def _public_pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(Encoding.PEM).decode()


def _write_private(file: Path, content: bytes) -> None:
    """Write a file that only its owner may read, whole or not at all."""
    handle, draft = tempfile.mkstemp(dir=file.parent)
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)
    Path(draft).replace(file)


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Two that open a new folder at once must not make two authorities."""
    with (folder / "certificates.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield

"""TLS towards the authorities: the trusted roots, and a context with the certificate of each company.

Trusted are the public authorities, ICP-Brasil, and those of the operator's file. All contexts share one
folder in which OpenSSL looks up a root by its name during a handshake. Loading all roots into each context
would cost 0.1 s and 2 MB per company.
"""

import fcntl
import hashlib
import os
import re
import secrets
import ssl
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from types import TracebackType
from typing import Any, Self

from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, PrivateFormat

from carimbo.fiscal.identity.ber import BerElement, parse
from carimbo.fiscal.identity.certificate import A1Certificate

_PEM = re.compile(r"-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----")
_VERSION_TAG = 0xA0
_UTF8_STRING = 0x0C
_ENCODINGS = {
    _UTF8_STRING: "utf-8",
    0x13: "latin-1",
    0x14: "latin-1",
    0x16: "latin-1",
    0x1A: "latin-1",
    0x1C: "utf-32-be",
    0x1E: "utf-16-be",
}


class CaFileUnusable(Exception):
    """The operator's CA file has no readable certificates; the message is Portuguese."""


class TrustStore:
    """The trusted roots, in a temporary folder that exists until the store is closed."""

    def __init__(self, operators_file: Path | None = None) -> None:
        certificates = {*_public_roots(), *(_operator_roots(operators_file) if operators_file else ())}
        self._folder = TemporaryDirectory(prefix="carimbo-trust-")
        _write_roots(certificates, Path(self._folder.name))
        # systemd deletes old files from temporary folders, unless the folder is locked.
        self._lock = os.open(self._folder.name, os.O_RDONLY)
        fcntl.flock(self._lock, fcntl.LOCK_SH)

    def prepare(self, context: ssl.SSLContext) -> None:
        """Makes a TLS context trust these roots."""
        context.load_verify_locations(capath=self._folder.name)

    def close(self) -> None:
        """Deletes the folder; contexts can't verify a new server after this."""
        os.close(self._lock)
        self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _public_roots() -> Iterator[bytes]:
    for package in ("certifi", "certifi_icpbr"):
        yield from _parse_pem((files(package) / "cacert.pem").read_text(encoding="ascii"))


def _operator_roots(file: Path) -> list[bytes]:
    try:
        certificates = list(_parse_pem(file.read_text(encoding="latin-1")))
        # OpenSSL checks that they are usable.
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=b"".join(certificates))
    except (ValueError, ssl.SSLError) as error:
        raise CaFileUnusable(f"O arquivo de autoridades {file} não tem certificados em PEM.") from error
    except OSError as error:
        reason = error.strerror
        raise CaFileUnusable(f"O arquivo de autoridades {file} não pode ser lido: {reason}.") from error
    return certificates


def _parse_pem(text: str) -> Iterator[bytes]:
    return (ssl.PEM_cert_to_DER_cert(pem) for pem in _PEM.findall(text))


def _write_roots(certificates: set[bytes], folder: Path) -> None:
    """Writes each file under the name that OpenSSL looks up: the subject hash, and a running number."""
    seen: Counter[str] = Counter()
    for certificate in certificates:
        name = subject_hash(certificate)
        (folder / f"{name}.{seen[name]}").write_text(ssl.DER_cert_to_PEM_cert(certificate), encoding="ascii")
        seen[name] += 1


@cache
def subject_hash(certificate: bytes) -> str:
    """Returns the first bytes of SHA-1 over the subject in OpenSSL's canonical form (X509_NAME_hash)."""
    parts = parse(certificate).children[0].children
    subject = parts[5 if parts[0].tag == _VERSION_TAG else 4]
    canonical = b"".join(_canonical(name).to_der() for name in subject.children)
    return f"{int.from_bytes(hashlib.sha1(canonical).digest()[:4], 'little'):08x}"  # noqa: S324 - names a file


def _canonical(element: BerElement) -> BerElement:
    """Converts every text to UTF-8 in lower case, without superfluous spaces."""
    if element.tag not in _ENCODINGS:
        return element._replace(children=tuple(map(_canonical, element.children)))
    text = element.content.decode(_ENCODINGS[element.tag]).encode()
    return BerElement(_UTF8_STRING, b" ".join(text.split()).lower(), ())


def tls_context_for(certificate: A1Certificate, trust: TrustStore) -> ssl.SSLContext:
    """Returns a context that presents the certificate, verifies the server, and resumes sessions."""
    # This protocol verifies certificate and host name by default; nothing here turns that off.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # Some servers ask for the certificate only after they have read the request (TLS 1.3).
    context.post_handshake_auth = True
    trust.prepare(context)
    _load_certificate(certificate, context)
    context.sslobject_class = _resuming_connections()
    return context


def _load_certificate(certificate: A1Certificate, context: ssl.SSLContext) -> None:
    """Loads key and certificates through a temporary file, because OpenSSL only reads files.

    The key in the file is encrypted with a random password that is never stored. The file is removed at once;
    if the process dies before that, the file is useless.
    """
    password = secrets.token_hex().encode()
    with NamedTemporaryFile(prefix="carimbo-") as file:
        key = certificate.private_key
        file.write(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(password)))
        for der in (certificate.certificate_der, *certificate.chain):
            file.write(ssl.DER_cert_to_PEM_cert(der).encode())
        file.flush()
        context.load_cert_chain(file.name, password=password)


def _resuming_connections() -> type[ssl.SSLObject]:
    """Returns a connection class that offers a server the TLS session of the previous connection."""
    sessions: dict[str | None, ssl.SSLSession] = {}

    class Resuming(ssl.SSLObject):
        _offered = _kept = False

        def do_handshake(self) -> None:
            if not self._offered and self.server_hostname in sessions:
                self.session = sessions[self.server_hostname]
            self._offered = True
            super().do_handshake()

        def read(self, *arguments: Any, **named: Any) -> bytes:
            # TLS 1.3 sends session tickets after the handshake; they are here with the first bytes of data.
            read = super().read(*arguments, **named)
            if not self._kept and (session := self.session):
                sessions[self.server_hostname] = session
            self._kept = True
            return read

    return Resuming

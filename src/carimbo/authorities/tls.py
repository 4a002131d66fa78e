"""How a company shows itself to a server: a TLS context of its own, with its certificate."""

import secrets
import ssl
from tempfile import NamedTemporaryFile
from typing import Any

from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, PrivateFormat

from carimbo.authorities.trust import Trust
from carimbo.fiscal.certificate import A1Certificate


def context_of(certificate: A1Certificate, trust: Trust) -> ssl.SSLContext:
    """A context that shows the certificate, checks the server and its name, and resumes its sessions."""
    # This protocol has verification and the check of the host name on; nothing here turns them off.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # Servers that ask for the certificate only once they know what is asked for (TLS 1.3).
    context.post_handshake_auth = True
    trust.prepare(context)
    _show(certificate, context)
    context.sslobject_class = _resuming()
    return context


def _show(certificate: A1Certificate, context: ssl.SSLContext) -> None:
    """Load key and certificates, which OpenSSL takes from a file only.

    The key stands in it under a password that was never written anywhere: the file is removed at once, and
    would be worth nothing to anybody even if the process died before.
    """
    password = secrets.token_hex().encode()
    with NamedTemporaryFile(prefix="carimbo-") as file:
        key = certificate.private_key
        file.write(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(password)))
        file.writelines(map(_pem, (certificate.certificate_der, *certificate.chain)))
        file.flush()
        context.load_cert_chain(file.name, password=password)


def _pem(der: bytes) -> bytes:
    return ssl.DER_cert_to_PEM_cert(der).encode()


def _resuming() -> type[ssl.SSLObject]:
    """A kind of connection that offers a server the session of the one before it."""
    sessions: dict[str | None, ssl.SSLSession] = {}

    class Resuming(ssl.SSLObject):
        _offered = _kept = False

        def do_handshake(self) -> None:
            if not self._offered and self.server_hostname in sessions:
                self.session = sessions[self.server_hostname]
            self._offered = True
            super().do_handshake()

        def read(self, *arguments: Any, **named: Any) -> bytes:
            # By the first bytes of an answer the tickets are here, which TLS 1.3 sends after the handshake.
            read = super().read(*arguments, **named)
            if not self._kept and (session := self.session):
                sessions[self.server_hostname] = session
            self._kept = True
            return read

    return Resuming

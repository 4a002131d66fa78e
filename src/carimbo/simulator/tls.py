"""TLS as the authorities speak it: version 1.2, and nobody without a certificate."""

import ssl

from carimbo.simulator.certificates import CertificateFolder

# X509_V_FLAG_NO_CHECK_TIME of OpenSSL: a certificate out of date gets in, to be told 281 in SOAP.
_ANY_TIME = 0x200000


def server_context(certificates: CertificateFolder) -> ssl.SSLContext:
    """A context that asks every client for a certificate of an authority of the folder."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.verify_mode = ssl.CERT_REQUIRED
    context.verify_flags |= _ANY_TIME
    context.load_cert_chain(certificates.server_file)
    context.load_verify_locations(cadata=certificates.client_authorities)
    context.sslobject_class = _AlertingObject
    return context


class _AlertingObject(ssl.SSLObject):
    """Sends the alert of a failed handshake before the connection ends, as the servers of the authorities do.

    asyncio ends the connection when a handshake fails, and does not write the alert that OpenSSL has ready.
    While a handshake wants to read, asyncio does write: so the failure is reported by the next call, when the
    client sends more. One that ends the connection, or waits too long, ends the handshake anyway.
    """

    _failure: ssl.SSLError | None = None

    def do_handshake(self) -> None:
        """Shakes hands; a failure is reported by the next call."""
        if self._failure:
            raise self._failure
        try:
            super().do_handshake()
        except (ssl.SSLWantReadError, ssl.SSLSyscallError):
            raise
        except ssl.SSLError as error:
            self._failure = error
            raise ssl.SSLWantReadError from error

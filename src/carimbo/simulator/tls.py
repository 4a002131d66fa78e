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
    return context

"""What went wrong with a server of others, in Portuguese sentences that calls and e-mails share."""

import ssl

from carimbo.fiscal.outcome import one_line


def of_tls(error: ssl.SSLError, server: str, guess: str = "") -> str:
    """Tell whether the certificate of a server was not taken, or what else keeps from talking to it."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"O certificado TLS do {server} não foi aceito ({one_line(error.verify_message)})."
    return f"A conexão TLS com o {server} falhou{guess} ({one_line(error.reason or str(error))})."


def of_seconds(seconds: float) -> str:
    """A time that was waited in vain."""
    return f"{seconds:g} s".replace(".", ",")

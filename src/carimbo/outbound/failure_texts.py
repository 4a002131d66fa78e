"""Portuguese sentences about failed connections, shared by webhooks and e-mail."""

import ssl

from carimbo.fiscal.outcome import one_line


def tls_failure_text(error: ssl.SSLError, server: str, guess: str = "") -> str:
    """Returns a sentence about a TLS failure; `guess` is a likely cause, in Portuguese."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"O certificado TLS do {server} não foi aceito ({one_line(error.verify_message)})."
    return f"A conexão TLS com o {server} falhou{guess} ({one_line(error.reason or str(error))})."


def seconds_text(seconds: float) -> str:
    """Returns a number of seconds as Portuguese text."""
    return f"{seconds:g} s".replace(".", ",")

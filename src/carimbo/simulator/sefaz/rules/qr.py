"""The QR code of a document: its parameters, and its offline signature."""

from base64 import b64decode
from collections.abc import Mapping

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA1

from carimbo.simulator.signatures import XmlSignature


def parameters_of(address: str) -> Mapping[str, str]:
    """Returns the parameters by name; base64 is not percent-encoded, so that `=` and `+` stay."""
    pairs = (part.partition("=") for part in address.partition("?")[2].split("&"))
    return {name: value for name, _, value in pairs}


def is_signed_by(signature: XmlSignature, text: str, value: str) -> bool:
    """Returns whether the certificate that signs a document has also signed a text; `value` is base64."""
    credential = signature.credential
    key = credential.certificate.public_key() if credential else None
    if not isinstance(key, RSAPublicKey):
        return False
    try:
        key.verify(b64decode(value), text.encode(), PKCS1v15(), SHA1())  # noqa: S303
    except (InvalidSignature, ValueError):
        return False
    return True

"""A passkey in software: it makes keys and signs challenges as a browser with a device does."""

import hashlib
import json
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, field
from typing import Any

import cbor2
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256

_PRESENT, _VERIFIED, _HAS_KEY = 0x01, 0x04, 0x40


def octets_of(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def text_of(octets: bytes) -> str:
    return urlsafe_b64encode(octets).rstrip(b"=").decode()


@dataclass
class SoftwareAuthenticator:
    """A device with one passkey. Its fields may be changed, to misbehave."""

    origin: str = "https://emissor.example"
    party_id: str = "emissor.example"
    credential_id: bytes = field(default_factory=lambda: secrets.token_bytes(16))
    sign_count: int = 0
    verifies_user: bool = True
    user_handle: bytes | None = None
    transports: Any = ("internal", "of-tomorrow")

    def __post_init__(self) -> None:
        self._key = generate_private_key(SECP256R1())

    def register(self, options: dict[str, Any]) -> dict[str, Any]:
        """Answers the request for a new passkey."""
        self.user_handle = octets_of(options["user"]["id"])
        point = self._key.public_key().public_numbers()
        public_key = {1: 2, 3: -7, -1: 1, -2: point.x.to_bytes(32), -3: point.y.to_bytes(32)}
        length = len(self.credential_id).to_bytes(2)
        key = bytes(16) + length + self.credential_id + cbor2.dumps(public_key)
        attestation = {"fmt": "none", "attStmt": {}, "authData": self._data(_HAS_KEY) + key}
        return self._answer(
            clientDataJSON=text_of(self._client_data("webauthn.create", options)),
            attestationObject=text_of(cbor2.dumps(attestation)),
            transports=self.transports,
        )

    def sign(self, options: dict[str, Any]) -> dict[str, Any]:
        """Answers the request to sign a challenge."""
        client_data, data = self._client_data("webauthn.get", options), self._data()
        signature = self._key.sign(data + hashlib.sha256(client_data).digest(), ECDSA(SHA256()))
        return self._answer(
            clientDataJSON=text_of(client_data),
            authenticatorData=text_of(data),
            signature=text_of(signature),
            userHandle=self.user_handle and text_of(self.user_handle),
        )

    def _answer(self, **response: Any) -> dict[str, Any]:
        identifier = text_of(self.credential_id)
        return {"id": identifier, "rawId": identifier, "type": "public-key", "response": response}

    def _client_data(self, action: str, options: dict[str, Any]) -> bytes:
        return json.dumps({"type": action, "challenge": options["challenge"], "origin": self.origin}).encode()

    def _data(self, flags: int = 0) -> bytes:
        flags |= _PRESENT | (_VERIFIED if self.verifies_user else 0)
        return hashlib.sha256(self.party_id.encode()).digest() + bytes([flags]) + self.sign_count.to_bytes(4)

"""Encrypting ("sealing") secrets: AES-256-GCM envelopes under a ring of master keys.

A random data key encrypts the secret; the master key encrypts only the data key, so changing the master key
encrypts 48 bytes again and never touches the secret. Both layers are bound to the owner of the secret (as
additional data), so a sealed value that is copied into another row does not open.
"""

import base64
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_BYTES = 32
NONCE_BYTES = 12
WRAPPED_KEY_BYTES = NONCE_BYTES + KEY_BYTES + 16


class DecryptionFailed(Exception):
    """A sealed value was altered, belongs to another row, or its master key is not in the ring.

    The message is Portuguese.
    """


class UnusableKey(ValueError):
    """The text of a key ring is invalid; the message is Portuguese."""


@dataclass(frozen=True)
class Sealed:
    """An encrypted secret and the id of the master key that opens it."""

    key_id: str
    content: bytes


@dataclass(frozen=True)
class KeyRing:
    """Master keys by id: the active one seals, all of them open."""

    active_id: str
    keys: Mapping[str, bytes] = field(repr=False)

    @classmethod
    def parse(cls, text: str) -> "KeyRing":
        """Parses `id:base64[,id:base64...]`; the first key is the active one. Raises UnusableKey."""
        pairs = [part.strip().partition(":") for part in text.split(",") if part.strip()]
        if not pairs:
            raise UnusableKey("o chaveiro está vazio")
        keys = {
            key_id: _decode_key(position, key_id, encoded)
            for position, (key_id, _, encoded) in enumerate(pairs, 1)
        }
        if len(keys) != len(pairs):
            raise UnusableKey("duas chaves do chaveiro têm o mesmo nome")
        return cls(active_id=pairs[0][0], keys=keys)

    def seal(self, secret: bytes, belongs_to: str) -> Sealed:
        """Encrypts a secret with a new data key."""
        data_key = secrets.token_bytes(KEY_BYTES)
        wrapped = _encrypt(self.keys[self.active_id], data_key, belongs_to)
        return Sealed(self.active_id, wrapped + _encrypt(data_key, secret, belongs_to))

    def open(self, sealed: Sealed, belongs_to: str) -> bytes:
        """Decrypts a secret. Raises DecryptionFailed."""
        data_key = self._unwrap(sealed, belongs_to)
        return _decrypt(data_key, sealed.content[WRAPPED_KEY_BYTES:], belongs_to)

    def rewrap(self, sealed: Sealed, belongs_to: str) -> Sealed:
        """Encrypts the data key with the active master key; the encrypted secret stays as it is."""
        data_key = self._unwrap(sealed, belongs_to)
        wrapped = _encrypt(self.keys[self.active_id], data_key, belongs_to)
        return Sealed(self.active_id, wrapped + sealed.content[WRAPPED_KEY_BYTES:])

    def _unwrap(self, sealed: Sealed, belongs_to: str) -> bytes:
        master = self.keys.get(sealed.key_id)
        if master is None:
            raise DecryptionFailed(f"a chave {sealed.key_id!r} não está entre elas")
        return _decrypt(master, sealed.content[:WRAPPED_KEY_BYTES], belongs_to)


def new_key(key_id: str) -> str:
    """Returns an entry of a key ring with a new random key."""
    return f"{key_id}:{base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode()}"


def _decode_key(position: int, key_id: str, encoded: str) -> bytes:
    try:
        key = base64.b64decode(encoded, validate=True)
    except ValueError:
        key = b""
    if not key_id or len(key) != KEY_BYTES:
        # Named by its position: the text in place of the name may be the key itself.
        raise UnusableKey(f"a chave nº {position} deve ser nome:base64 de {KEY_BYTES} bytes aleatórios")
    # Few distinct bytes, or only ASCII: a placeholder that somebody typed, not a random key.
    if len(set(key)) <= KEY_BYTES // 2 or key.isascii():
        raise UnusableKey(f"a chave {key_id!r} não é aleatória")
    return key


def _encrypt(key: bytes, plain: bytes, belongs_to: str) -> bytes:
    nonce = secrets.token_bytes(NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, plain, belongs_to.encode())


def _decrypt(key: bytes, content: bytes, belongs_to: str) -> bytes:
    nonce, ciphertext = content[:NONCE_BYTES], content[NONCE_BYTES:]
    try:
        return AESGCM(key).decrypt(nonce, ciphertext, belongs_to.encode())
    except (InvalidTag, ValueError):
        raise DecryptionFailed("a chave não é a que o selou, ou ele foi alterado") from None

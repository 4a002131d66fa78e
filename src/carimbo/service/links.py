"""Links that open a document's files without credentials, for a while.

Whoever has such a link may read one file: what it opens and until when is part of the link, and signed. Whose
file it is goes veiled: the id of a subscription is half of its credentials.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from carimbo.service.documents import Reference
from carimbo.service.errors import Code, Refusal
from carimbo.storage.database import Database
from carimbo.storage.identifiers import NIL


@dataclass(frozen=True)
class Links:
    """Makes links and checks them; holds the installation's key, so build it once."""

    key: bytes = field(repr=False)
    base_url: str
    valid_for: timedelta
    clock: Callable[[], datetime]

    @classmethod
    async def open(
        cls, database: Database, base_url: str, valid_for: timedelta, clock: Callable[[], datetime]
    ) -> "Links":
        """Read the key, making it on the first start ever; it is sealed like any secret."""
        async with database.tenant(NIL) as installation:
            key = await installation.secrets.get_or_create(NIL, "link-key", secrets.token_bytes(32))
        return cls(key, base_url, valid_for, clock)

    def pdf(self, subscription_id: UUID, document_id: UUID) -> str:
        """A link to a document on paper."""
        return self._link(subscription_id, document_id, "pdf")

    def xml(self, subscription_id: UUID, document_id: UUID) -> str:
        """A link to the file that has legal force."""
        return self._link(subscription_id, document_id, "xml")

    def opened(self, owner: str, document_id: str, extension: str, expires: str, signature: str) -> Reference:
        """The document of a link; what we did not sign to the letter, or no longer stand by, is refused."""
        file = f"{owner}/{document_id}.{extension}"
        is_ours = hmac.compare_digest(self._signature(file, expires).encode(), signature.encode())
        if not is_ours or self.clock().timestamp() >= int(expires):
            raise Refusal(Code.LINK_INVALID)
        document = UUID(document_id)
        return Reference(self._veiled(UUID(owner), document), document)

    def _link(self, subscription_id: UUID, document_id: UUID, extension: str) -> str:
        file = f"{self._veiled(subscription_id, document_id)}/{document_id}.{extension}"
        expires = str(int((self.clock() + self.valid_for).timestamp()))
        return f"{self.base_url}/files/{file}?expires={expires}&signature={self._signature(file, expires)}"

    def _veiled(self, owner: UUID, document_id: UUID) -> UUID:
        """The owner of a document under a veil, or what is under it: the same step leads there and back."""
        veil = hmac.digest(self.key, f"owner of {document_id}".encode(), hashlib.sha256)
        return UUID(int=owner.int ^ int.from_bytes(veil[:16]))

    def _signature(self, file: str, expires: str) -> str:
        digest = hmac.digest(self.key, f"{file}?expires={expires}".encode(), hashlib.sha256)
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()

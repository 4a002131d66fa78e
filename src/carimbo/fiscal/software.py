"""The program that issues, as documents name it."""

import base64
import hashlib
from dataclasses import dataclass, field, replace

from carimbo.fiscal.access_key import AccessKey
from carimbo.fiscal.layouts.nfe_v4.parties import TechnicalResponsible


@dataclass(frozen=True, slots=True)
class Csrt:
    """The security code that a state gives to whoever answers for a program (NT 2018.005)."""

    id: str
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Software:
    """Name and version (`verProc`), and who answers for the program (`infRespTec`)."""

    name: str
    responsible: TechnicalResponsible | None = None
    csrt: Csrt | None = None

    def responsible_for(self, key: AccessKey) -> TechnicalResponsible | None:
        """Who answers for the program, with the proof for one document where the state has given a code."""
        if self.responsible is None or self.csrt is None:
            return self.responsible
        # SHA-1 of code and key is what NT 2018.005 asks for.
        digest = hashlib.sha1(f"{self.csrt.token}{key}".encode(), usedforsecurity=False).digest()
        proof = base64.b64encode(digest).decode()
        return replace(self.responsible, csrt_id=self.csrt.id, csrt_hash=proof)

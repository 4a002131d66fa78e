"""The program that issues, as documents name it."""

import base64
import hashlib
from collections.abc import Container
from dataclasses import dataclass, field, replace

from carimbo.fiscal.access_key import AccessKey
from carimbo.fiscal.layouts.nfe_v4.parties import TechnicalResponsible

STATES_DEMANDING_RESPONSIBLE = frozenset({"AM", "MS", "PE", "PR", "SC", "TO"})
"""As NT 2018.005 v1.30 publishes for NF-e; other states take the group, but do not demand it."""
_RESPONSIBLE_SETTINGS = (
    "CARIMBO_RESPONSIBLE_TAX_ID",
    "CARIMBO_RESPONSIBLE_CONTACT",
    "CARIMBO_RESPONSIBLE_EMAIL",
    "CARIMBO_RESPONSIBLE_PHONE",
)


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

    def missing_settings(self, state: str, demanding: Container[str]) -> tuple[str, ...]:
        """Returns the settings that name the responsible, if they lack in a state that demands one."""
        return _RESPONSIBLE_SETTINGS if state in demanding and self.responsible is None else ()

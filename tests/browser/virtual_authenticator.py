"""An authenticator inside the browser that answers every request for a passkey."""

from dataclasses import dataclass
from typing import Any

from playwright.async_api import CDPSession, Page

_OPTIONS = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@dataclass(frozen=True)
class VirtualAuthenticator:
    """Stores the passkeys of a page, and always says that the person was verified."""

    session: CDPSession
    id: str

    async def passkeys(self) -> list[dict[str, Any]]:
        """Returns the stored passkeys in the form of the DevTools protocol."""
        answer = await self.session.send("WebAuthn.getCredentials", {"authenticatorId": self.id})
        return list(answer["credentials"])

    async def refuse_verification(self) -> None:
        """Lets each further request fail, as if the person gave a wrong finger."""
        await self.session.send(
            "WebAuthn.setUserVerified", {"authenticatorId": self.id, "isUserVerified": False}
        )


async def virtual_authenticator(page: Page) -> VirtualAuthenticator:
    """Connects an empty authenticator to a page."""
    session = await page.context.new_cdp_session(page)
    await session.send("WebAuthn.enable", {"enableUI": False})
    answer = await session.send("WebAuthn.addVirtualAuthenticator", {"options": _OPTIONS})
    return VirtualAuthenticator(session, str(answer["authenticatorId"]))

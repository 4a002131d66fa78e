"""The app of a second factor."""

from datetime import datetime, timedelta

import pyotp

STEP = timedelta(seconds=30)


def code_at(secret: str, moment: datetime) -> str:
    """Returns the code that an authenticator app shows."""
    return pyotp.TOTP(secret).at(moment)

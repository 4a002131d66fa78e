"""How long a receiver asks us to wait (RFC 9110, 10.2.3)."""

import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

# More than thirty years is nobody's wish.
_SECONDS = re.compile(r"[0-9]{1,9}")


def wait_asked(header: str, now: datetime) -> timedelta | None:
    """Read a number of seconds or a date; what is neither asks for nothing."""
    text = header.strip()
    if _SECONDS.fullmatch(text):
        return timedelta(seconds=int(text))
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    # A date without a zone is the old form of C, which is in Greenwich's too.
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(moment - now, timedelta())

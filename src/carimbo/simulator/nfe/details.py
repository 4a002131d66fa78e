"""What authorities add to rejections of what they have already, made up for those that a trigger asks for."""

import re
from collections.abc import Callable, Mapping
from zoneinfo import ZoneInfo

from carimbo.simulator.keys import check_digit
from carimbo.simulator.nfe.answers import Placed, Speaker, Verdict
from carimbo.simulator.nfe.key_parts import NUMERIC_CODE, STATE
from carimbo.simulator.nfe.protocols import made_up_protocol

_KEY = re.compile(r"[0-9A-Z]{35}[0-9]{9}")


def with_details(verdict: Verdict, access_key: str, placed: Placed) -> Verdict:
    """A rejection as it would be if its reason were true; nothing is kept of what it tells."""
    details = _DETAILS.get(verdict.code)
    if details is None or not _KEY.fullmatch(access_key):
        return verdict
    return Verdict(verdict.code, details(access_key, placed))


def protocol_for(state_code: str, placed: Placed) -> str:
    """A protocol that nothing has, of a state or of the authority's own."""
    return made_up_protocol(placed.place, Speaker.of(placed).state(state_code).ibge, placed.world)


def _event(access_key: str, placed: Placed) -> str:
    """MOC 7.0, 3P15-10."""
    return f"[nProt:{protocol_for(access_key[STATE], placed)}]"


def _document(access_key: str, placed: Placed) -> str:
    """MOC 7.0, 2B08-20 and 2B08-30."""
    moment = placed.world.now.astimezone(ZoneInfo(Speaker.of(placed).state(access_key[STATE]).zone))
    return f"{_event(access_key, placed)}[dhAut:{moment.isoformat(timespec='seconds')}]"


def _other_document(access_key: str, placed: Placed) -> str:
    """MOC 7.0, 2B08-10."""
    code = (int(access_key[NUMERIC_CODE]) + 1) % 10**8
    first = f"{access_key[: NUMERIC_CODE.start]}{code:08d}"
    return f"[chNFe:{first}{check_digit(first)}]{_document(access_key, placed)}"


_DETAILS: Mapping[str, Callable[[str, Placed], str]] = {
    "204": _document,
    "218": _document,
    "539": _other_document,
    "573": _event,
}

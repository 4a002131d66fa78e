"""What authorities add to rejections of what they have already, made up for those that a trigger asks for."""

import re
from zoneinfo import ZoneInfo

from carimbo.simulator.keys import check_digit
from carimbo.simulator.sefaz.answers import Authority, Verdict
from carimbo.simulator.sefaz.call import Received
from carimbo.simulator.sefaz.dialect import Detail
from carimbo.simulator.sefaz.key_parts import NUMERIC_CODE, STATE
from carimbo.simulator.sefaz.protocols import made_up_protocol

_KEY = re.compile(r"[0-9A-Z]{35}[0-9]{9}")


def with_details(received: Received, verdict: Verdict, access_key: str) -> Verdict:
    """Returns a rejection as it would be if its reason were true; nothing is kept of what it says."""
    detail = received.dialect.details.get(verdict.code)
    if detail is None or not _KEY.fullmatch(access_key):
        return verdict
    text = f"[nProt:{protocol_for(received, access_key[STATE])}]"
    if detail is not Detail.EVENT:
        zone = ZoneInfo(Authority.of(received).state(access_key[STATE]).zone)
        moment = received.world.now.astimezone(zone)
        text = f"{text}[dhAut:{moment.isoformat(timespec='seconds')}]"
    if detail is Detail.OTHER_DOCUMENT:
        code = (int(access_key[NUMERIC_CODE]) + 1) % 10**8
        first = f"{access_key[: NUMERIC_CODE.start]}{code:08d}"
        text = f"[{received.dialect.key_tag}:{first}{check_digit(first)}]{text}"
    return Verdict(verdict.code, text)


def protocol_for(received: Received, state_code: str) -> str:
    """Returns a protocol that nothing has, of a state or of the authority's own."""
    return made_up_protocol(received, Authority.of(received).state(state_code).ibge)

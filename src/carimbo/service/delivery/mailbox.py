"""E-mail addresses that every mail server takes and every header can hold."""

import re
from typing import Annotated

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from carimbo.fiscal.fields import Email

_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
# A dot-atom (RFC 5322) that nobody takes for encoded text (RFC 2047).
_LOCAL_PART = re.compile(rf"(?!.*=\?){_ATOM}(\.{_ATOM})*")
_ODD = "E-mail inválido: antes do @, use letras sem acento, dígitos e, entre eles, sinais como ponto e hífen."


def is_plain(address: str) -> bool:
    """Tell whether an address can be told to any server as it stands."""
    return bool(_LOCAL_PART.fullmatch(address.rpartition("@")[0]))


def _plain(address: str) -> str:
    if not is_plain(address):
        raise PydanticCustomError("email", _ODD)
    return address


PlainEmail = Annotated[Email, AfterValidator(_plain)]

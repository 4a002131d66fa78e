"""Parses JSON strictly, so that later code can rely on the values.

Numbers become Decimal, never float. Python's own parser accepts `NaN`, overflows on `1e400`, recurses without
a limit and passes on characters that PostgreSQL cannot store; here all of these are refused, and so is a body
with too many values to validate in a short time.
"""

import json
import re
from decimal import Decimal, InvalidOperation
from typing import Any

from carimbo.service.errors import ErrorCode, Refusal, invalid_field

# Far beyond any amount in reais; 1e1000000000 as an exact integer would exhaust the memory.
_MAX_EXPONENT = 40
# Twice the size of a document with 990 items; pydantic visits all values, even beyond the limits of lists.
_MAX_PARTS = 100_000
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def parse_json_body(body: bytes) -> Any:
    """Parses a request body, or refuses it as malformed."""
    text = _decoded(body)
    try:
        # Counted before parsing: two million numbers would take seconds. Separators in texts count too.
        if sum(map(text.count, ",{[")) > _MAX_PARTS:
            raise invalid_field("body", f"Tem mais de {_MAX_PARTS} valores.")
        value = json.loads(
            text, parse_float=_number, parse_int=_whole_number, parse_constant=_refuse_constant
        )
        # Only an escape such as \u0000 or \ud800 can produce characters that cannot be stored.
        storable = "\\u" not in text or _storable(value)
    except json.JSONDecodeError as error:
        raise Refusal(ErrorCode.MALFORMED_JSON, line=error.lineno, column=error.colno) from None
    except RecursionError:
        raise Refusal(ErrorCode.MALFORMED_JSON, "O JSON tem níveis demais de objetos e listas.") from None
    if not storable:
        raise Refusal(ErrorCode.MALFORMED_JSON, "O JSON contém caracteres que não podem ser guardados.")
    return value


def _decoded(body: bytes) -> str:
    """Decodes a body as UTF-8 (RFC 8259); the parser would also guess UTF-16 and UTF-32."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise Refusal(ErrorCode.MALFORMED_JSON, "O corpo não está em UTF-8.") from None
    if text.startswith("\ufeff"):
        raise Refusal(ErrorCode.MALFORMED_JSON, "O corpo começa com um BOM: envie UTF-8 sem BOM.")
    if not text.strip():
        raise Refusal(ErrorCode.MALFORMED_JSON, "O corpo está vazio: envie um objeto JSON.")
    return text


def _number(text: str) -> Decimal | float:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return float("inf")
    # Infinity makes the validation of its field fail, with the field's name.
    return number if abs(number.adjusted()) <= _MAX_EXPONENT else float("inf")


def _whole_number(text: str) -> int | float:
    return int(text) if len(text) <= _MAX_EXPONENT else float("inf")


def _refuse_constant(text: str) -> Any:
    raise Refusal(ErrorCode.MALFORMED_JSON, f"{text} não é um número de JSON.")


def _storable(value: Any) -> bool:
    if isinstance(value, str):
        return _UNSTORABLE.search(value) is None
    if isinstance(value, dict):
        return all(_storable(name) and _storable(item) for name, item in value.items())
    if isinstance(value, list):
        return all(_storable(item) for item in value)
    return True

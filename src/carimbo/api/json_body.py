"""Reading JSON so that nothing later can trip over it.

Numbers become Decimal, never float. Python's own reader takes `NaN`, overflows on `1e400`, recurses until it
breaks and passes on characters that PostgreSQL can't store; none of that gets through here. Nor does a body
of more parts than can be validated in good time.
"""

import asyncio
import json
import re
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any, TypeVar

from pydantic import ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from carimbo.service.errors import Code, Refusal, invalid_field, refuse_chaos

T = TypeVar("T")

# Far beyond any amount in reais; 1e1000000000 as an exact integer would fill the memory.
_LARGEST_EXPONENT = 40
# Twice what a document of 990 items holds; pydantic goes through all of them, whatever the lists may hold.
_MOST_PARTS = 100_000
# Parsed in a few milliseconds, which is less than a change of threads may take.
_SMALL_BYTES = 64 * 1024
_LARGE_BODIES = ThreadPoolExecutor(max_workers=1, thread_name_prefix="large-bodies")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


async def read_json_body(body: bytes) -> Any:
    """Parses a request body without holding up other requests, or refuses it.

    A large one is parsed in a thread. Numbers are made by Python functions, between which the interpreter
    lets the event loop run; a single thread, because several would take turns with the loop.
    """
    if len(body) <= _SMALL_BYTES:
        return read_json(body)
    return await asyncio.get_running_loop().run_in_executor(_LARGE_BODIES, read_json, body)


def read_json(body: bytes) -> Any:
    """Parse a request body, or refuse it as malformed."""
    text = _decoded(body)
    try:
        _refuse_many_parts(text)
        value = json.loads(
            text, parse_float=_number, parse_int=_whole_number, parse_constant=_refuse_constant
        )
        # Only an escape such as \u0000 or \ud800 can bring in characters that can't be stored.
        storable = "\\u" not in text or _storable(value)
    except json.JSONDecodeError as error:
        raise Refusal(Code.MALFORMED_JSON, line=error.lineno, column=error.colno) from None
    except RecursionError:
        raise Refusal(Code.MALFORMED_JSON, "O JSON tem níveis demais de objetos e listas.") from None
    if not storable:
        raise Refusal(Code.MALFORMED_JSON, "O JSON contém caracteres que não podem ser guardados.")
    return value


def _decoded(body: bytes) -> str:
    """Decodes a body; the reader itself would guess UTF-16 and UTF-32 too (RFC 8259 allows UTF-8 only)."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise Refusal(Code.MALFORMED_JSON, "O corpo não está em UTF-8.") from None
    if text.startswith("\ufeff"):
        raise Refusal(Code.MALFORMED_JSON, "O corpo começa com um BOM: envie UTF-8 sem BOM.")
    if not text.strip():
        raise Refusal(Code.MALFORMED_JSON, "O corpo está vazio: envie um objeto JSON.")
    return text


def _refuse_many_parts(text: str) -> None:
    """Refuses a body before it is parsed: two million numbers would take seconds.

    Marks within texts count too, which are few.
    """
    if sum(map(text.count, ",{[")) > _MOST_PARTS:
        raise invalid_field("body", f"Tem mais de {_MOST_PARTS} valores.")


def _described_in_good_time(body: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    try:
        return validate(body)
    except ValidationError as invalid:
        # Here, because the framework describes every error before anybody can count them.
        refuse_chaos(invalid)
        raise


JsonBody = Annotated[T, WrapValidator(_described_in_good_time)]
"""The body of a request, as every route declares it."""


def _number(text: str) -> Decimal | float:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return float("inf")
    # Infinity makes the field that holds it fail validation, by its name.
    return number if abs(number.adjusted()) <= _LARGEST_EXPONENT else float("inf")


def _whole_number(text: str) -> int | float:
    return int(text) if len(text) <= _LARGEST_EXPONENT else float("inf")


def _refuse_constant(text: str) -> Any:
    raise Refusal(Code.MALFORMED_JSON, f"{text} não é um número de JSON.")


def _storable(value: Any) -> bool:
    if isinstance(value, str):
        return _UNSTORABLE.search(value) is None
    if isinstance(value, dict):
        return all(_storable(name) and _storable(item) for name, item in value.items())
    if isinstance(value, list):
        return all(_storable(item) for item in value)
    return True

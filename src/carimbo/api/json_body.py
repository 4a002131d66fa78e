"""The JSON bodies of requests."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, TypeVar

from pydantic import ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from carimbo.service.errors import refuse_countless_errors
from carimbo.web.json_body import parse_json_body

T = TypeVar("T")

# Parsed in a few milliseconds; switching threads may take longer.
_SMALL_BYTES = 64 * 1024
_LARGE_BODIES = ThreadPoolExecutor(max_workers=1, thread_name_prefix="large-bodies")


async def read_json_body(body: bytes) -> Any:
    """Parses a request body without blocking other requests, or refuses it.

    A large body is parsed in a thread: Python functions make its numbers, so the interpreter can switch to
    the event loop between them. There is only one such thread, because several would compete with the loop.
    """
    if len(body) <= _SMALL_BYTES:
        return parse_json_body(body)
    return await asyncio.get_running_loop().run_in_executor(_LARGE_BODIES, parse_json_body, body)


def _refuse_many_errors(body: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    try:
        return validate(body)
    except ValidationError as invalid:
        # Checked here because the framework would describe all errors before we could count them.
        refuse_countless_errors(invalid)
        raise


JsonBody = Annotated[T, WrapValidator(_refuse_many_errors)]
"""The JSON body of a request; every route declares its body with it."""

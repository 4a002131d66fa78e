"""Structured logs without secrets."""

import logging
import re
import sys
from collections.abc import Mapping, MutableMapping
from typing import Any

import structlog

_SECRET_NAME = re.compile(r"secret|password|authorization|cookie|csc|token|pfx|private", re.IGNORECASE)


def configure_logs(log_format: str, log_level: str) -> None:
    """Sends every log line, ours and those of libraries, through one pipeline to standard error."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        hide_secrets,
    ]
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(log_level),
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=_rendering(log_format))
    )
    logging.basicConfig(handlers=[handler], level=log_level.upper(), force=True)
    # It logs a line for every call, which our own log already has.
    logging.getLogger("httpx2").setLevel(logging.WARNING)


def hide_secrets(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Replaces the values of keys that are named like secrets, at any depth."""
    return {name: _shown(name, value) for name, value in event.items()}


def _shown(name: object, value: Any) -> Any:
    return "***" if _SECRET_NAME.search(str(name)) else _without_secrets(value)


def _without_secrets(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _shown(name, item) for name, item in value.items()}
    if isinstance(value, list):
        return [_without_secrets(item) for item in value]
    # Stays a tuple: the renderers recognise `exc_info` by that.
    return tuple(map(_without_secrets, value)) if isinstance(value, tuple) else value


def _rendering(log_format: str) -> list[Any]:
    strip = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    if log_format == "console":
        # The renderer's own choice of traceback shows local variables, and with them passwords and keys.
        traceback = structlog.dev.plain_traceback
        return [
            strip,
            structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=traceback),
        ]
    return [
        strip,
        structlog.processors.format_exc_info,
        structlog.processors.JSONRenderer(ensure_ascii=False),
    ]

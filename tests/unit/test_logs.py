"""Logs: our entries and those of libraries share one pipeline, which hides secrets."""

import json
import subprocess
import sys
from typing import Any

import pytest

from carimbo.logs import hide_secrets
from support import TIMEOUT_SECONDS

# Run apart: configuring logs changes this process's handlers, pytest's own among them.
_PROGRAM = """
import logging, sys, structlog
from carimbo.logs import configure_logs

def fail(password):
    raise ValueError("it broke")

configure_logs(sys.argv[1], sys.argv[2])
log = structlog.get_logger("carimbo.api")
log.debug("detail")
log.info("issued", document="nfe", apiSecret="hidden-one", nested={"csc": "hidden-two"})
logging.getLogger("uvicorn.error").info("ready on %s", "port 1", extra={})
logging.getLogger("httpx2").info("a line for every call")
try:
    fail("hid" + "den-three")
except ValueError as error:
    log.error("request_failed", exc_info=error)
    logging.getLogger("asyncio").error("lost", exc_info=error)
"""


def lines_of(log_format: str, log_level: str = "info") -> str:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, log_format, log_level],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=True,
    )
    assert done.stdout == ""
    return done.stderr


def entries_of(log_level: str = "info") -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines_of("json", log_level).splitlines()]


class TestHideSecrets:
    def test_values_named_like_secrets_are_blanked(self) -> None:
        names = (
            "apiSecret", "api_secret", "X-Api-Secret", "password", "pfxPassword", "Authorization", "Cookie",
            "csc", "token", "pfx", "privateKey",
        )  # fmt: skip
        assert hide_secrets(None, "info", dict.fromkeys(names, "x")) == dict.fromkeys(names, "***")

    def test_other_values_are_left_alone(self) -> None:
        names = ("event", "path", "status", "subscription_id", "apiKey", "request_id")
        assert hide_secrets(None, "info", dict.fromkeys(names, "x")) == dict.fromkeys(names, "x")

    def test_secrets_inside_objects_and_lists_are_blanked_too(self) -> None:
        event = {"body": {"nfce": {"csc": "x", "cscId": "y", "series": 1}, "items": [{"password": "x"}, 2]}}
        assert hide_secrets(None, "info", event) == {
            "body": {"nfce": {"csc": "***", "cscId": "***", "series": 1}, "items": [{"password": "***"}, 2]}
        }

    def test_the_logged_object_itself_is_not_changed(self) -> None:
        body = {"password": "x"}
        hide_secrets(None, "info", {"body": body})
        assert body == {"password": "x"}

    def test_a_tuple_stays_a_tuple(self) -> None:
        error = ValueError("x")
        event = {"exc_info": (ValueError, error, None)}
        assert hide_secrets(None, "error", event) == event


class TestConfigureLogs:
    def test_json_is_one_object_per_line_from_us_and_from_libraries(self) -> None:
        entries = entries_of()
        assert [entry["event"] for entry in entries] == [
            "issued",
            "ready on port 1",
            "request_failed",
            "lost",
        ]
        assert [entry["logger"] for entry in entries[:2]] == ["carimbo.api", "uvicorn.error"]
        assert all({"timestamp", "level"} <= set(entry) for entry in entries)

    def test_an_error_carries_its_traceback(self) -> None:
        assert [("it broke" in entry["exception"]) for entry in entries_of()[2:]] == [True, True]

    def test_entries_below_the_level_are_not_shown(self) -> None:
        assert entries_of("debug")[0]["event"] == "detail"
        assert {entry["level"] for entry in entries_of("error")} == {"error"}

    @pytest.mark.parametrize("log_format", ["json", "console"])
    def test_no_secret_is_shown_not_even_by_a_traceback(self, log_format: str) -> None:
        shown = lines_of(log_format)
        assert "it broke" in shown
        assert "hidden" not in shown

"""The command line: what each command does, and the one sentence that reports a failure."""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
import typer
from reference import walk_commands

import carimbo
from acceptance.commands.command_runs import begin, carimbo_here, end_of, running
from carimbo.cli import app
from carimbo.storage.envelope import new_key
from support import TIMEOUT_SECONDS, free_port, local_http

NOWHERE = "postgresql://nobody@127.0.0.1:1/nothing"
PLACEHOLDER = "k1:" + "A" * 43 + "="


def commands() -> list[tuple[tuple[str, ...], Any]]:
    """Returns every command with the words after `carimbo` that call it."""
    walked = walk_commands(typer.main.get_command(app))
    return [(tuple(path.split()[1:]), command) for path, command in walked]


class TestHelp:
    def test_every_command_has_a_help_text_in_portuguese(self) -> None:
        wrong = {}
        for words, command in commands():
            result = carimbo_here(*words, "--help")
            first_words = " ".join(command.help.split()[:3])
            is_shown = first_words in " ".join(result.out.split())
            if (result.code, result.err, is_shown, is_portuguese(command.help)) != (0, "", True, True):
                wrong[words] = result
        assert wrong == {}

    def test_every_option_and_argument_is_explained(self) -> None:
        unexplained = [
            (*words, parameter.name)
            for words, command in commands()
            for parameter in command.params
            if not parameter.help
        ]
        assert unexplained == []

    def test_documented_commands_exist(self) -> None:
        names = {words[0] for words, _ in commands() if words}
        assert {"demo", "serve", "worker", "migrate", "admin"} <= names

    def test_carimbo_without_a_command_shows_the_help(self) -> None:
        result = carimbo_here()
        assert "carimbo demo" in result.out + result.err

    def test_the_installed_program_prints_its_version(self) -> None:
        program = Path(sys.prefix, "bin/carimbo")
        done = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
        assert done.stdout == f"carimbo {carimbo.__version__}\n"


def is_portuguese(text: str) -> bool:
    words = set(re.findall(r"[a-zà-ú]+", text.lower()))
    portuguese = {"de", "da", "do", "e", "os", "as", "a", "o", "um", "uma", "para", "com", "que", "estes"}
    english = {"the", "of", "and", "with", "this", "these", "run", "runs", "show"}
    return bool(words & portuguese) and not words & english


class TestSettings:
    def assert_refused(self, command: str, variable: str, **settings: str) -> None:
        result = carimbo_here(command, **settings)
        assert result.code == 2
        assert variable in result.err
        assert "Traceback" not in result.err

    @pytest.mark.parametrize("command", ["serve", "worker", "migrate"])
    def test_a_command_without_secret_keys_does_not_start(self, command: str) -> None:
        self.assert_refused(command, "CARIMBO_SECRET_KEYS", database_url=NOWHERE)

    @pytest.mark.parametrize("keys", ["", "changeme", "k1:changeme", PLACEHOLDER])
    def test_serve_with_a_placeholder_secret_key_does_not_start(self, keys: str) -> None:
        self.assert_refused("serve", "CARIMBO_SECRET_KEYS", database_url=NOWHERE, secret_keys=keys)

    def test_serve_with_two_secret_keys_of_one_name_does_not_start(self) -> None:
        keys = f"{new_key('a')},{new_key('a')}"
        self.assert_refused("serve", "CARIMBO_SECRET_KEYS", database_url=NOWHERE, secret_keys=keys)

    def test_missing_database_url_is_reported(self) -> None:
        self.assert_refused("serve", "CARIMBO_DATABASE_URL", secret_keys=new_key("k1"))

    def test_unknown_variable_is_refused(self) -> None:
        self.assert_refused(
            "serve", "CARIMBO_PROT", database_url=NOWHERE, secret_keys=new_key("k1"), prot="8000"
        )

    def test_all_wrong_settings_are_reported_at_once(self) -> None:
        result = end_of(begin("serve", database_url="", port="many", nonsense="1"))
        assert result.code == 2
        assert result.out == ""
        assert all(name in result.err for name in ("CARIMBO_PORT", "CARIMBO_NONSENSE"))
        assert "Traceback" not in result.err


class TestDatabaseDown:
    def test_every_command_reports_a_stopped_database_in_one_sentence(self) -> None:
        settings = {"database_url": NOWHERE, "secret_keys": new_key("k1")}
        lines = [("migrate",), ("serve",), ("worker",), ("admin", "list-plans")]
        processes = [begin(*line, **settings) for line in lines]
        results = [end_of(process) for process in processes]
        assert [result.code for result in results] == [1] * len(lines)
        assert [result.is_one_sentence for result in results] == [True] * len(lines), results
        assert all("PostgreSQL" in result.err for result in results)


class TestMigrate:
    def test_commands_on_an_empty_database_ask_for_the_migration(
        self, new_database: Callable[[], str]
    ) -> None:
        settings = {"database_url": new_database(), "secret_keys": new_key("k1")}
        processes = [begin(command, **settings) for command in ("serve", "worker")]
        results = [carimbo_here("admin", "list-plans", **settings), *map(end_of, processes)]
        assert [result.code for result in results] == [1, 1, 1]
        assert all(result.is_one_sentence and "carimbo migrate" in result.err for result in results), results

    def test_second_migration_changes_nothing(self, new_database: Callable[[], str]) -> None:
        settings = {"database_url": new_database(), "secret_keys": new_key("k1")}
        first, second = carimbo_here("migrate", **settings), carimbo_here("migrate", **settings)
        assert (first.code, second.code) == (0, 0)
        assert "aplicada: 0001" in first.out
        assert second.out == "o banco já está atualizado\n"

    def test_simultaneous_migrations_do_not_disturb_each_other(self, new_database: Callable[[], str]) -> None:
        settings = {"database_url": new_database(), "secret_keys": new_key("k1")}
        processes = [begin("migrate", **settings) for _ in range(2)]
        results = [end_of(process) for process in processes]
        assert [result.code for result in results] == [0, 0], results
        assert sorted("aplicada" in result.out for result in results) == [False, True]


class TestServe:
    def test_serve_answers_and_stops_without_errors(
        self, installation: dict[str, str], subscription: dict[str, str]
    ) -> None:
        port = free_port()
        with running("serve", **installation, port=str(port), api_metrics_port="0") as process:
            headers = {"X-Api-Key": subscription["apiKey"], "X-Api-Secret": subscription["apiSecret"]}
            until_ready(f"http://127.0.0.1:{port}/readyz", process)
            answer = local_http().get(f"http://127.0.0.1:{port}/v1/subscription", headers=headers)
            assert answer.json()["data"]["plan"]["name"] == "trial"
            taken = carimbo_here("serve", **installation, port=str(port), api_metrics_port="0")
            process.send_signal(signal.SIGTERM)
            result = end_of(process)
        assert taken.code == 1 and taken.is_one_sentence and str(port) in taken.err
        assert result.code == 0
        assert "Traceback" not in result.err
        assert all(json.loads(line)["level"] == "info" for line in result.err.splitlines())

    def test_keys_that_do_not_open_the_stored_secrets_are_reported(
        self, installation: dict[str, str], subscription: dict[str, str]
    ) -> None:
        result = carimbo_here("serve", **{**installation, "secret_keys": new_key("k1")})
        assert result.code == 1
        assert result.is_one_sentence and "CARIMBO_SECRET_KEYS" in result.err


def until_ready(url: str, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while True:
        try:
            if local_http().get(url).status_code == 200:
                return
        except httpx2.TransportError:
            pass
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)

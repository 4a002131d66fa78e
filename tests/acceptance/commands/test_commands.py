"""The command line as an operator meets it: what each command does, and one sentence when it can't."""

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
from support import PATIENCE, free_port, local_http

NOWHERE = "postgresql://nobody@127.0.0.1:1/nothing"
PLACEHOLDER = "k1:" + "A" * 43 + "="


def commands() -> list[tuple[tuple[str, ...], Any]]:
    """Returns every command with the words after `carimbo` that call it."""
    walked = walk_commands(typer.main.get_command(app))
    return [(tuple(path.split()[1:]), command) for path, command in walked]


class TestHelp:
    def test_every_command_says_in_portuguese_what_it_does(self) -> None:
        wrong = {}
        for words, command in commands():
            told = carimbo_here(*words, "--help")
            first_words = " ".join(command.help.split()[:3])
            is_shown = first_words in " ".join(told.out.split())
            if (told.code, told.err, is_shown, is_portuguese(command.help)) != (0, "", True, True):
                wrong[words] = told
        assert wrong == {}

    def test_every_option_and_argument_is_explained(self) -> None:
        unexplained = [
            (*words, parameter.name)
            for words, command in commands()
            for parameter in command.params
            if not parameter.help
        ]
        assert unexplained == []

    def test_the_promised_commands_are_there(self) -> None:
        names = {words[0] for words, _ in commands() if words}
        assert {"demo", "serve", "worker", "migrate", "admin"} <= names

    def test_no_command_at_all_shows_the_help(self) -> None:
        told = carimbo_here()
        assert "carimbo demo" in told.out + told.err

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
    def refused(self, command: str, variable: str, **settings: str) -> None:
        told = carimbo_here(command, **settings)
        assert told.code == 2
        assert variable in told.err
        assert "Traceback" not in told.err

    @pytest.mark.parametrize("command", ["serve", "worker", "migrate"])
    def test_a_command_without_secret_keys_does_not_start(self, command: str) -> None:
        self.refused(command, "CARIMBO_SECRET_KEYS", database_url=NOWHERE)

    @pytest.mark.parametrize("keys", ["", "changeme", "k1:changeme", PLACEHOLDER])
    def test_a_secret_key_that_is_not_a_real_one_does_not_start(self, keys: str) -> None:
        self.refused("serve", "CARIMBO_SECRET_KEYS", database_url=NOWHERE, secret_keys=keys)

    def test_two_secret_keys_of_one_name_do_not_start(self) -> None:
        keys = f"{new_key('a')},{new_key('a')}"
        self.refused("serve", "CARIMBO_SECRET_KEYS", database_url=NOWHERE, secret_keys=keys)

    def test_a_missing_database_address_is_told(self) -> None:
        self.refused("serve", "CARIMBO_DATABASE_URL", secret_keys=new_key("k1"))

    def test_an_unknown_variable_is_refused(self) -> None:
        self.refused("serve", "CARIMBO_PROT", database_url=NOWHERE, secret_keys=new_key("k1"), prot="8000")

    def test_everything_that_is_wrong_is_reported_at_once(self) -> None:
        told = end_of(begin("serve", database_url="", port="many", nonsense="1"))
        assert told.code == 2
        assert told.out == ""
        assert all(name in told.err for name in ("CARIMBO_PORT", "CARIMBO_NONSENSE"))
        assert "Traceback" not in told.err


class TestDatabaseDown:
    def test_every_command_tells_it_in_one_sentence(self) -> None:
        settings = {"database_url": NOWHERE, "secret_keys": new_key("k1")}
        lines = [("migrate",), ("serve",), ("worker",), ("admin", "list-plans")]
        processes = [begin(*line, **settings) for line in lines]
        told = [end_of(process) for process in processes]
        assert [t.code for t in told] == [1] * len(lines)
        assert [t.is_one_sentence for t in told] == [True] * len(lines), told
        assert all("PostgreSQL" in t.err for t in told)


class TestMigrate:
    def test_commands_on_an_empty_database_ask_for_the_migration(
        self, new_database: Callable[[], str]
    ) -> None:
        settings = {"database_url": new_database(), "secret_keys": new_key("k1")}
        processes = [begin(command, **settings) for command in ("serve", "worker")]
        told = [carimbo_here("admin", "list-plans", **settings), *map(end_of, processes)]
        assert [t.code for t in told] == [1, 1, 1]
        assert all(t.is_one_sentence and "carimbo migrate" in t.err for t in told), told

    def test_twice_is_as_good_as_once(self, new_database: Callable[[], str]) -> None:
        settings = {"database_url": new_database(), "secret_keys": new_key("k1")}
        first, second = carimbo_here("migrate", **settings), carimbo_here("migrate", **settings)
        assert (first.code, second.code) == (0, 0)
        assert "aplicada: 0001" in first.out
        assert second.out == "o banco já está atualizado\n"

    def test_two_at_once_do_not_disturb_each_other(self, new_database: Callable[[], str]) -> None:
        settings = {"database_url": new_database(), "secret_keys": new_key("k1")}
        processes = [begin("migrate", **settings) for _ in range(2)]
        told = [end_of(process) for process in processes]
        assert [t.code for t in told] == [0, 0], told
        assert sorted("aplicada" in t.out for t in told) == [False, True]


class TestServe:
    def test_answers_and_ends_without_noise_when_asked_to(
        self, place: dict[str, str], subscription: dict[str, str]
    ) -> None:
        port = free_port()
        with running("serve", **place, port=str(port), api_metrics_port="0") as process:
            headers = {"X-Api-Key": subscription["apiKey"], "X-Api-Secret": subscription["apiSecret"]}
            until_ready(f"http://127.0.0.1:{port}/readyz", process)
            answer = local_http().get(f"http://127.0.0.1:{port}/v1/subscription", headers=headers)
            assert answer.json()["data"]["plan"]["name"] == "trial"
            taken = carimbo_here("serve", **place, port=str(port), api_metrics_port="0")
            process.send_signal(signal.SIGTERM)
            told = end_of(process)
        assert taken.code == 1 and taken.is_one_sentence and str(port) in taken.err
        assert told.code == 0
        assert "Traceback" not in told.err
        assert all(json.loads(line)["level"] == "info" for line in told.err.splitlines())

    def test_keys_that_do_not_open_what_is_stored_are_told(
        self, place: dict[str, str], subscription: dict[str, str]
    ) -> None:
        told = carimbo_here("serve", **{**place, "secret_keys": new_key("k1")})
        assert told.code == 1
        assert told.is_one_sentence and "CARIMBO_SECRET_KEYS" in told.err


def until_ready(url: str, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            if local_http().get(url).status_code == 200:
                return
        except httpx2.TransportError:
            pass
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)

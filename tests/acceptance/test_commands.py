"""The command line as an operator meets it: what each command does, and one sentence when it can't."""

import asyncio
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import asyncpg
import httpx2
import pytest
import typer

import carimbo
from carimbo.cli import app, run
from carimbo.storage.envelope import KeyRing, new_key
from support import free_port

NOWHERE = "postgresql://nobody@127.0.0.1:1/nothing"
PLACEHOLDER = "k1:" + "A" * 43 + "="
_PATIENCE = 30


@dataclass(frozen=True)
class Told:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def is_one_sentence(self) -> bool:
        return self.out == "" and self.err.count("\n") == 1 and self.err.strip() != ""


Carimbo = Callable[..., Told]


def environment(**settings: str) -> dict[str, str]:
    """This process's environment with exactly these settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CARIMBO_")}
    return {**kept, **{f"CARIMBO_{name.upper()}": value for name, value in settings.items()}}


def carimbo_here(*arguments: str, **settings: str) -> Told:
    """Run a command in a thread of this process: its event loop is not ours, and its start is quick."""
    out, err = io.StringIO(), io.StringIO()

    def call() -> int:
        try:
            run()
        except SystemExit as leaving:
            return leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
        return 0

    patched = (
        patch.dict(os.environ, environment(**settings), clear=True),
        patch("sys.argv", ["carimbo", *arguments]),
    )
    with patched[0], patched[1], redirect_stdout(out), redirect_stderr(err), ThreadPoolExecutor(1) as thread:
        code = thread.submit(call).result(60)
    return Told(code, out.getvalue(), err.getvalue())


def begin(*arguments: str, **settings: str) -> subprocess.Popen[str]:
    """Start a command as a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "carimbo", *arguments],
        env=environment(**settings),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def end_of(process: subprocess.Popen[str]) -> Told:
    out, err = process.communicate(timeout=60)
    return Told(process.returncode, out, err)


@contextmanager
def running(*arguments: str, **settings: str) -> Iterator[subprocess.Popen[str]]:
    """Keep a command running for the length of a block."""
    process = begin(*arguments, **settings)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def new_database(postgres_url: str) -> Callable[[], str]:
    """Makes empty databases; only a command under test migrates them."""

    def make() -> str:
        name = f"commands_{uuid4().hex}"

        async def create() -> None:
            connection = await asyncpg.connect(postgres_url)
            await connection.execute(f'create database "{name}"')
            await connection.close()

        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, create()).result()
        return postgres_url.replace("/postgres?", f"/{name}?")

    return make


@pytest.fixture(scope="module")
def place(new_database: Callable[[], str]) -> dict[str, str]:
    """The settings of a migrated installation."""
    settings = {"database_url": new_database(), "secret_keys": new_key("k1")}
    assert carimbo_here("migrate", **settings).code == 0
    return settings


@pytest.fixture(scope="module")
def admin(place: dict[str, str]) -> Carimbo:
    """An operator's command on that installation."""
    return lambda *arguments: carimbo_here("admin", *arguments, **place)


@pytest.fixture
def subscription(admin: Carimbo) -> dict[str, str]:
    created = admin("create-subscription", "--name", "Padaria")
    assert created.code == 0, created.err
    return dict(json.loads(created.out))


def listed(admin: Carimbo, subscription: dict[str, str]) -> str:
    (line,) = [
        line
        for line in admin("list-subscriptions").out.splitlines()
        if line.startswith(subscription["apiKey"])
    ]
    return line


def commands() -> list[tuple[tuple[str, ...], Any]]:
    """Every command with the words that call it."""

    def walk(command: Any, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
        yield words, command
        for name, inner in getattr(command, "commands", {}).items():
            yield from walk(inner, (*words, name))

    return list(walk(typer.main.get_command(app), ()))


class TestHelp:
    @pytest.mark.parametrize(
        ("words", "command"),
        commands(),
        ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
    )
    def test_every_command_says_in_portuguese_what_it_does(
        self, words: tuple[str, ...], command: Any
    ) -> None:
        told = carimbo_here(*words, "--help")
        assert (told.code, told.err) == (0, "")
        first_words = " ".join(command.help.split()[:3])
        assert first_words in " ".join(told.out.split())
        assert is_portuguese(command.help)

    @pytest.mark.parametrize(
        ("words", "command"),
        commands(),
        ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
    )
    def test_every_option_and_argument_is_explained(self, words: tuple[str, ...], command: Any) -> None:
        assert [parameter.name for parameter in command.params if not parameter.help] == []

    def test_the_promised_commands_are_there(self) -> None:
        names = {words[0] for words, _ in commands() if words}
        assert {"demo", "serve", "worker", "migrate", "admin"} <= names

    def test_no_command_at_all_shows_the_help(self) -> None:
        told = carimbo_here()
        assert "carimbo demo" in told.out + told.err

    def test_the_version_is_told(self) -> None:
        process = end_of(begin("--version"))
        assert (process.code, process.out.strip()) == (0, f"carimbo {carimbo.__version__}")


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

    def test_everything_that_is_wrong_is_told_at_once_by_a_real_process(self) -> None:
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
            answer = httpx2.get(f"http://127.0.0.1:{port}/v1/subscription", headers=headers)
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
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            if httpx2.get(url).status_code == 200:
                return
        except httpx2.TransportError:
            pass
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)


class TestCreateSubscription:
    def test_shows_a_credential_and_starts_on_trial_with_every_feature(
        self, admin: Carimbo, subscription: dict[str, str]
    ) -> None:
        assert set(subscription) == {"apiKey", "apiSecret"}
        assert "  trial  cteEmission,mdfeEmission,nfceEmission  Padaria" in listed(admin, subscription)

    def test_an_unknown_plan_is_told(self, admin: Carimbo) -> None:
        told = admin("create-subscription", "--name", "Padaria", "--plan", "gold")
        assert told.code == 1 and told.is_one_sentence and "gold" in told.err


class TestSetPlan:
    def test_changes_the_plan(self, admin: Carimbo, subscription: dict[str, str]) -> None:
        assert admin("set-plan", subscription["apiKey"], "unlimited").code == 0
        assert "  unlimited  " in listed(admin, subscription)

    def test_an_unknown_plan_is_told(self, admin: Carimbo, subscription: dict[str, str]) -> None:
        told = admin("set-plan", subscription["apiKey"], "gold")
        assert told.code == 1 and told.is_one_sentence and "gold" in told.err

    def test_an_unknown_subscription_is_told(self, admin: Carimbo) -> None:
        told = admin("set-plan", str(uuid4()), "trial")
        assert told.code == 1 and told.is_one_sentence and "Assinatura" in told.err

    def test_what_is_no_id_is_told(self, admin: Carimbo) -> None:
        told = admin("set-plan", "padaria", "trial")
        assert told.code == 2 and "Traceback" not in told.err


class TestSetFeatures:
    def test_leaves_exactly_the_named_ones(self, admin: Carimbo, subscription: dict[str, str]) -> None:
        assert admin("set-features", subscription["apiKey"], "mdfeEmission").code == 0
        assert "  trial  mdfeEmission  " in listed(admin, subscription)
        assert admin("set-features", subscription["apiKey"]).code == 0
        assert "  trial  -  " in listed(admin, subscription)

    def test_an_unknown_feature_is_told_with_the_known_ones(
        self, admin: Carimbo, subscription: dict[str, str]
    ) -> None:
        told = admin("set-features", subscription["apiKey"], "mdfeEmission", "teleport")
        assert told.code == 1 and told.is_one_sentence
        assert "teleport" in told.err and "nfceEmission" in told.err
        assert "cteEmission,mdfeEmission,nfceEmission" in listed(admin, subscription)

    def test_an_unknown_subscription_is_told(self, admin: Carimbo) -> None:
        told = admin("set-features", str(uuid4()), "mdfeEmission")
        assert told.code == 1 and told.is_one_sentence and "Assinatura" in told.err


class TestPlans:
    def test_the_plans_of_a_new_installation_are_listed(self, admin: Carimbo) -> None:
        lines = admin("list-plans").out.splitlines()
        assert "trial: 10 documentos, 120 requisições/min" in lines
        assert "unlimited: sem limite" in lines

    def test_a_plan_is_made_and_changed(self, admin: Carimbo) -> None:
        assert admin("define-plan", "loja-1", "--monthly-documents", "500").code == 0
        assert "loja-1: 500 documentos/mês" in admin("list-plans").out.splitlines()
        assert admin("define-plan", "loja-1", "--requests-per-minute", "60").code == 0
        assert "loja-1: 60 requisições/min" in admin("list-plans").out.splitlines()

    @pytest.mark.parametrize("name", ["Gold", "1a", "a b", "", "a" * 41])
    def test_a_name_that_cannot_be_is_told(self, admin: Carimbo, name: str) -> None:
        told = admin("define-plan", name)
        assert told.code == 1 and told.is_one_sentence

    def test_two_ways_of_counting_are_told(self, admin: Carimbo) -> None:
        told = admin("define-plan", "both", "--monthly-documents", "1", "--total-documents", "1")
        assert told.code == 1 and told.is_one_sentence

    @pytest.mark.parametrize("option", ["--monthly-documents", "--total-documents", "--requests-per-minute"])
    @pytest.mark.parametrize("number", ["-1", "2147483648"])
    def test_a_number_that_cannot_be_is_told(self, admin: Carimbo, option: str, number: str) -> None:
        told = admin("define-plan", "wide", option, number)
        assert told.code == 2 and option in told.err


class TestRotateCredentials:
    def test_shows_another_secret(self, admin: Carimbo, subscription: dict[str, str]) -> None:
        rotated = json.loads(admin("rotate-credentials", subscription["apiKey"]).out)
        assert rotated["apiKey"] == subscription["apiKey"]
        assert rotated["apiSecret"] != subscription["apiSecret"]

    def test_an_unknown_subscription_is_told(self, admin: Carimbo) -> None:
        told = admin("rotate-credentials", str(uuid4()))
        assert told.code == 1 and told.is_one_sentence and "Assinatura" in told.err

    @pytest.mark.parametrize("hours", ["0", "73"])
    def test_an_overlap_beyond_its_bounds_is_told(
        self, admin: Carimbo, subscription: dict[str, str], hours: str
    ) -> None:
        assert admin("rotate-credentials", subscription["apiKey"], "--overlap-hours", hours).code == 2


class TestGenerateKey:
    def test_makes_a_usable_key_without_any_setting(self) -> None:
        first, second = carimbo_here("admin", "generate-key"), carimbo_here("admin", "generate-key")
        assert KeyRing.parse(first.out.strip()).active_id == "k1"
        assert first.out != second.out

    def test_a_name_that_would_break_the_ring_is_told(self) -> None:
        told = carimbo_here("admin", "generate-key", "--key-id", "a:b,c")
        assert told.code == 1 and told.is_one_sentence


class TestRekey:
    def test_moves_every_secret_so_that_the_old_key_can_go(self, new_database: Callable[[], str]) -> None:
        url, old, new = new_database(), new_key("old"), new_key("new")

        def admin(keys: str, *arguments: str) -> Told:
            return carimbo_here("admin", *arguments, database_url=url, secret_keys=keys)

        carimbo_here("migrate", database_url=url, secret_keys=old)
        key = json.loads(admin(old, "create-subscription", "--name", "Padaria").out)["apiKey"]
        too_early = admin(new, "rotate-credentials", key)
        moved = admin(f"{new},{old}", "rekey")
        again = admin(f"{new},{old}", "rekey")
        assert (too_early.code, moved.code, again.code) == (1, 0, 0)
        assert too_early.is_one_sentence and "old" in too_early.err
        assert moved.out == "1 segredo(s) passados para a chave new\n"
        assert again.out == "0 segredo(s) passados para a chave new\n"
        assert admin(new, "rotate-credentials", key).code == 0

    def test_a_ring_without_the_old_key_is_told(self, new_database: Callable[[], str]) -> None:
        url = new_database()
        old, new = new_key("old"), new_key("new")
        carimbo_here("migrate", database_url=url, secret_keys=old)
        carimbo_here("admin", "create-subscription", "--name", "x", database_url=url, secret_keys=old)
        told = carimbo_here("admin", "rekey", database_url=url, secret_keys=new)
        assert told.code == 1 and told.is_one_sentence and "'old'" in told.err


class TestCheckQueue:
    def test_without_a_worker_it_fails_soon(self, admin: Carimbo) -> None:
        told = admin("check-queue", "--patience", "0.3")
        assert told.code == 1 and told.is_one_sentence and "carimbo worker" in told.err

    def test_with_a_worker_it_tells_how_long_the_answer_took(
        self, place: dict[str, str], admin: Carimbo
    ) -> None:
        with running("worker", **place, worker_metrics_port="0") as worker:
            told = admin("check-queue", "--patience", str(_PATIENCE))
            worker.send_signal(signal.SIGTERM)
            ended = end_of(worker)
        assert told.code == 0, (told, ended)
        assert re.fullmatch(r"um trabalhador respondeu em \d+\.\d\d s\n", told.out)
        assert ended.code == 0
        assert "Traceback" not in ended.err

"""`carimbo admin`: subscriptions, plans, credentials, keys and the queue."""

import json
import re
import signal
from collections.abc import Callable
from uuid import uuid4

import pytest

from acceptance.commands.command_runs import Carimbo, Told, carimbo_here, end_of, running
from carimbo.storage.envelope import KeyRing, new_key
from support import PATIENCE


def listed(admin: Carimbo, subscription: dict[str, str]) -> str:
    (line,) = [
        line
        for line in admin("list-subscriptions").out.splitlines()
        if line.startswith(subscription["apiKey"])
    ]
    return line


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
        assert rotated["previousSecretValidUntil"] is None

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
        assert moved.out == "1 segredo passado para a chave new\n"
        assert again.out == "0 segredos passados para a chave new\n"
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
            told = admin("check-queue", "--patience", str(PATIENCE))
            worker.send_signal(signal.SIGTERM)
            ended = end_of(worker)
        assert told.code == 0, (told, ended)
        assert re.fullmatch(r"um trabalhador respondeu em \d+\.\d\d s\n", told.out)
        assert ended.code == 0
        assert "Traceback" not in ended.err

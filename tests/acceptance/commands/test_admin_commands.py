"""`carimbo admin`: subscriptions, plans, credentials, keys and the queue."""

import asyncio
import json
import re
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import asyncpg
import pytest

from acceptance.commands.command_runs import Carimbo, CommandResult, carimbo_here, end_of, running
from carimbo.storage.envelope import KeyRing, new_key
from carimbo.storage.identifiers import NIL
from support import TIMEOUT_SECONDS


def list_row(admin: Carimbo, subscription: dict[str, str]) -> str:
    (line,) = [
        line
        for line in admin("list-subscriptions").out.splitlines()
        if line.startswith(subscription["apiKey"])
    ]
    return line


class TestCreateSubscription:
    def test_new_subscription_has_a_credential_the_trial_plan_and_every_feature(
        self, admin: Carimbo, subscription: dict[str, str]
    ) -> None:
        assert set(subscription) == {"apiKey", "apiSecret"}
        assert "  trial  cteEmission,mdfeEmission,nfceEmission  Padaria" in list_row(admin, subscription)

    def test_unknown_plan_is_reported(self, admin: Carimbo) -> None:
        result = admin("create-subscription", "--name", "Padaria", "--plan", "gold")
        assert result.code == 1 and result.is_one_sentence and "gold" in result.err


class TestSetPlan:
    def test_set_plan_changes_the_plan(self, admin: Carimbo, subscription: dict[str, str]) -> None:
        assert admin("set-plan", subscription["apiKey"], "unlimited").code == 0
        assert "  unlimited  " in list_row(admin, subscription)

    def test_unknown_plan_is_reported(self, admin: Carimbo, subscription: dict[str, str]) -> None:
        result = admin("set-plan", subscription["apiKey"], "gold")
        assert result.code == 1 and result.is_one_sentence and "gold" in result.err

    def test_unknown_subscription_is_reported(self, admin: Carimbo) -> None:
        result = admin("set-plan", str(uuid4()), "trial")
        assert result.code == 1 and result.is_one_sentence and "Assinatura" in result.err

    def test_malformed_subscription_id_is_reported(self, admin: Carimbo) -> None:
        result = admin("set-plan", "padaria", "trial")
        assert result.code == 2 and "Traceback" not in result.err


class TestSetFeatures:
    def test_set_features_leaves_exactly_the_named_features(
        self, admin: Carimbo, subscription: dict[str, str]
    ) -> None:
        assert admin("set-features", subscription["apiKey"], "mdfeEmission").code == 0
        assert "  trial  mdfeEmission  " in list_row(admin, subscription)
        assert admin("set-features", subscription["apiKey"]).code == 0
        assert "  trial  -  " in list_row(admin, subscription)

    def test_unknown_feature_is_reported_with_the_valid_ones(
        self, admin: Carimbo, subscription: dict[str, str]
    ) -> None:
        result = admin("set-features", subscription["apiKey"], "mdfeEmission", "teleport")
        assert result.code == 1 and result.is_one_sentence
        assert "teleport" in result.err and "nfceEmission" in result.err
        assert "cteEmission,mdfeEmission,nfceEmission" in list_row(admin, subscription)

    def test_unknown_subscription_is_reported(self, admin: Carimbo) -> None:
        result = admin("set-features", str(uuid4()), "mdfeEmission")
        assert result.code == 1 and result.is_one_sentence and "Assinatura" in result.err


class TestPlans:
    def test_the_plans_of_a_new_installation_are_listed(self, admin: Carimbo) -> None:
        lines = admin("list-plans").out.splitlines()
        assert "trial: 10 documentos, 120 requisições/min" in lines
        assert "unlimited: sem limite" in lines

    def test_plan_is_created_and_changed(self, admin: Carimbo) -> None:
        assert admin("define-plan", "loja-1", "--monthly-documents", "500").code == 0
        assert "loja-1: 500 documentos/mês" in admin("list-plans").out.splitlines()
        assert admin("define-plan", "loja-1", "--requests-per-minute", "60").code == 0
        assert "loja-1: 60 requisições/min" in admin("list-plans").out.splitlines()

    @pytest.mark.parametrize("name", ["Gold", "1a", "a b", "", "a" * 41])
    def test_invalid_plan_name_is_reported(self, admin: Carimbo, name: str) -> None:
        result = admin("define-plan", name)
        assert result.code == 1 and result.is_one_sentence

    def test_plan_with_two_document_limits_is_reported(self, admin: Carimbo) -> None:
        result = admin("define-plan", "both", "--monthly-documents", "1", "--total-documents", "1")
        assert result.code == 1 and result.is_one_sentence

    @pytest.mark.parametrize("option", ["--monthly-documents", "--total-documents", "--requests-per-minute"])
    @pytest.mark.parametrize("number", ["-1", "2147483648"])
    def test_limit_out_of_range_is_reported(self, admin: Carimbo, option: str, number: str) -> None:
        result = admin("define-plan", "wide", option, number)
        assert result.code == 2 and option in result.err


class TestRotateCredentials:
    def test_rotation_shows_a_new_secret(self, admin: Carimbo, subscription: dict[str, str]) -> None:
        rotated = json.loads(admin("rotate-credentials", subscription["apiKey"]).out)
        assert rotated["apiKey"] == subscription["apiKey"]
        assert rotated["apiSecret"] != subscription["apiSecret"]
        assert rotated["previousSecretValidUntil"] is None

    def test_unknown_subscription_is_reported(self, admin: Carimbo) -> None:
        result = admin("rotate-credentials", str(uuid4()))
        assert result.code == 1 and result.is_one_sentence and "Assinatura" in result.err

    @pytest.mark.parametrize("hours", ["0", "73"])
    def test_overlap_out_of_range_is_reported(
        self, admin: Carimbo, subscription: dict[str, str], hours: str
    ) -> None:
        assert admin("rotate-credentials", subscription["apiKey"], "--overlap-hours", hours).code == 2


class TestGenerateKey:
    def test_generate_key_creates_a_usable_key_without_settings(self) -> None:
        first, second = carimbo_here("admin", "generate-key"), carimbo_here("admin", "generate-key")
        assert KeyRing.parse(first.out.strip()).active_id == "k1"
        assert first.out != second.out

    def test_key_id_with_separators_is_reported(self) -> None:
        result = carimbo_here("admin", "generate-key", "--key-id", "a:b,c")
        assert result.code == 1 and result.is_one_sentence


class TestRekey:
    def test_rekey_moves_every_secret_so_that_the_old_key_can_be_removed(
        self, new_database: Callable[[], str]
    ) -> None:
        url, old, new = new_database(), new_key("old"), new_key("new")

        def admin(keys: str, *arguments: str) -> CommandResult:
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

    def test_rekey_without_the_old_key_is_reported(self, new_database: Callable[[], str]) -> None:
        url = new_database()
        old, new = new_key("old"), new_key("new")
        carimbo_here("migrate", database_url=url, secret_keys=old)
        carimbo_here("admin", "create-subscription", "--name", "x", database_url=url, secret_keys=old)
        result = carimbo_here("admin", "rekey", database_url=url, secret_keys=new)
        assert result.code == 1 and result.is_one_sentence and "'old'" in result.err


class TestCheckQueue:
    def test_check_queue_fails_soon_without_a_worker(self, admin: Carimbo) -> None:
        result = admin("check-queue", "--patience", "0.3")
        assert result.code == 1 and result.is_one_sentence and "carimbo worker" in result.err

    def test_check_queue_reports_the_response_time_of_a_worker(
        self, installation: dict[str, str], admin: Carimbo
    ) -> None:
        with running("worker", **installation, worker_metrics_port="0") as worker:
            result = admin("check-queue", "--patience", str(TIMEOUT_SECONDS))
            worker.send_signal(signal.SIGTERM)
            ended = end_of(worker)
        assert result.code == 0, (result, ended)
        assert re.fullmatch(r"um worker respondeu em \d+\.\d\d s\n", result.out)
        assert ended.code == 0
        assert "Traceback" not in ended.err


class TestAudit:
    def test_changes_name_the_operator_to_the_owner_and_in_the_audit_of_the_installation(
        self, admin: Carimbo, installation: dict[str, str], subscription: dict[str, str]
    ) -> None:
        owner = subscription["apiKey"]
        assert admin("set-plan", owner, "unlimited").code == 0
        assert admin("set-features", owner, "mdfeEmission").code == 0
        assert admin("rotate-credentials", owner).code == 0
        entries = audit_about(installation["database_url"], owner)
        assert {actor for _, _, actor in entries} == {"operador (linha de comando)"}
        changes = ["subscription.created", "subscription.planChanged", "subscription.featuresChanged"]
        for reader, actions in ((owner, [*changes, "credential.rotated"]), (str(NIL), changes)):
            assert [action for subscription_id, action, _ in entries if subscription_id == reader] == actions


def audit_about(database_url: str, subscription_id: str) -> list[tuple[str, str, str]]:
    """Returns the readers, actions and actors of the entries about a subscription, in order."""

    async def read() -> list[tuple[str, str, str]]:
        connection = await asyncpg.connect(database_url)
        rows = await connection.fetch(
            "select subscription_id::text, action, actor ->> 'name' from audit_entries"
            " where subscription_id = $1::text::uuid or subject_id = $1 order by created_at, id",
            subscription_id,
        )
        await connection.close()
        return [tuple(row) for row in rows]

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, read()).result()

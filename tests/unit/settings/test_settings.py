"""The settings of an installation: defaults, types, refusals and secrets."""

from datetime import timedelta
from unittest.mock import Mock

import pytest

from carimbo.dashboard.options import DashboardOptions
from carimbo.main.worker import advancer_of, work_loop_of
from carimbo.outbound.target import AllowedHosts, HostPort
from carimbo.service.contexts import WorkerContext
from carimbo.service.waiting import Backoff
from carimbo.settings import Settings, child_environment, load_settings
from carimbo.worker.advance import Slots
from carimbo.worker.claim_loop import LoopOptions
from unit.settings.needed_settings import KEYS, NEEDED, URL, not_refused_by_name, problems_of

WRONG_VALUES = {
    "PORT": ("http", "65536", "-1"),
    "DATABASE_POOL_SIZE": ("0", "2.5"),
    "LEASE_SECONDS": ("0", "-3"),
    "SWEEP_SECONDS": ("soon",),
    "LOG_FORMAT": ("xml",),
    "LOG_LEVEL": ("INFO!",),
    "WORKER_CONCURRENCY": ("1",),
    "ATTEMPTS_BEFORE_PARKING": ("0",),
    "BODY_LIMIT_BYTES": ("",),
    "SCHEMAS_FOLDER": ("", ".", "/nowhere"),
    "TABLES_FOLDER": ("", ".", "/nowhere"),
    "SIMULATOR_URL": ("", "http://127.0.0.1:8443", "https://127.0.0.1:8443/svrs"),
    "PUBLIC_URL": (
        "",
        "fiscal.example.com",
        "ftp://fiscal.example.com",
        "https://",
        "https://user:password@fiscal.example.com",
        "https://fiscal.example.com?a=b",
        "https://fiscal.example.com/#a",
        "https://fiscal.example.com:99999",
        "https://fiscal..example.com",
        "https://fiscal.example.com//a",
        "https://fiscal.example.com/a/../b",
    ),
    "LINK_DAYS": ("0",),
    "AUTHORITY_CA_FILE": ("ca.pem", "/nowhere.pem", "/"),
    "AUTHORITY_CONNECT_SECONDS": ("0",),
    "AUTHORITY_READ_SECONDS": ("-1",),
    "AUTHORITY_CERTIFICATES": ("0",),
    "AUTHORITY_RETRY_FIRST_SECONDS": ("0",),
    "OVERDUE_MINUTES": ("0",),
    "WORKER_SLOW_SECONDS": ("-1",),
    "WEBHOOK_SECONDS": ("0",),
    "WEBHOOK_ALLOWED_HOSTS": ("https://intranet.example", "10.0.0.0/8"),
    "WEBHOOK_CA_FILE": ("ca.pem", "/etc/passwd"),
}


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"CARIMBO_{name.upper()}", raising=False)


class TestDefaults:
    def test_a_database_and_a_key_are_enough(self) -> None:
        settings = load_settings(NEEDED)
        assert settings.database_url.get_secret_value() == URL
        assert settings.key_ring.active_id == "k1"

    def test_only_the_database_and_the_keys_are_without_a_default(self) -> None:
        assert [p.partition(":")[0] for p in problems_of({})] == [
            "CARIMBO_DATABASE_URL",
            "CARIMBO_SECRET_KEYS",
        ]

    def test_programs_listen_on_this_machine_only_by_default(self) -> None:
        settings = load_settings(NEEDED)
        assert (settings.host, settings.port) == ("127.0.0.1", 8000)
        assert settings.metrics_host == "127.0.0.1"

    def test_logs_are_json_by_default(self) -> None:
        settings = load_settings(NEEDED)
        assert (settings.log_format, settings.log_level) == ("json", "info")

    def test_every_setting_is_described(self) -> None:
        assert all(field.description for field in Settings.model_fields.values())

    def test_settings_are_read_from_the_environment_of_the_process(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name, value in {**NEEDED, "CARIMBO_PORT": "8123"}.items():
            monkeypatch.setenv(name, value)
        assert load_settings().port == 8123


class TestTypes:
    def test_numbers_are_read_as_numbers(self) -> None:
        settings = load_settings({**NEEDED, "CARIMBO_PORT": "9000", "CARIMBO_LEASE_SECONDS": "0.5"})
        assert settings.port == 9000
        assert settings.lease_seconds == 0.5

    def test_a_value_of_the_wrong_type_is_refused_by_name(self) -> None:
        values = [(name, value) for name, wrong in WRONG_VALUES.items() for value in wrong]
        assert not_refused_by_name(values) == []

    def test_the_reason_for_a_refusal_is_given_in_portuguese(self) -> None:
        reasons = (
            ("PORT", "http", "deve ser um número inteiro"),
            ("PORT", "65536", "deve ser menor ou igual a 65535"),
            ("LOG_FORMAT", "xml", "valor inválido: use 'json' ou 'console'"),
            ("SIMULATOR_URL", "http://127.0.0.1", "deve ter a forma ^https://[^/?#]+/?$"),
            ("TABLES_FOLDER", "/nowhere", "não há uma pasta neste caminho"),
            ("TABLES_FOLDER", ".", "informe um caminho absoluto"),
            ("AUTHORITY_CA_FILE", "/", "não há um arquivo neste caminho"),
            ("WEBHOOK_RETRY_SECONDS", "soon", "informe segundos entre 0 e 86400, separados por vírgulas"),
            ("WEBHOOK_ALLOWED_HOSTS", "Loja/1", "Loja/1 não é um host, nem um host com porta"),
        )
        given = [problems_of({**NEEDED, f"CARIMBO_{name}": value}) for name, value, _ in reasons]
        assert given == [[f"CARIMBO_{name}: {reason}"] for name, _, reason in reasons]

    def test_links_begin_with_the_public_address(self) -> None:
        for given, base in (
            ({}, "http://127.0.0.1:8000"),
            ({"HOST": "::1", "PORT": "80"}, "http://[::1]:80"),
            ({"PUBLIC_URL": "https://fiscal.example.com"}, "https://fiscal.example.com"),
            ({"PUBLIC_URL": "https://fiscal.example.com:8443/api/"}, "https://fiscal.example.com:8443/api"),
            ({"PUBLIC_URL": "http://localhost:8000//"}, "http://localhost:8000"),
        ):
            settings = load_settings(NEEDED | {f"CARIMBO_{name}": value for name, value in given.items()})
            assert settings.link_base == base

    def test_public_address_is_spelled_as_browsers_send_it_in_origin(self) -> None:
        for given, origin in (
            ("https://painel.example.com:443/", "https://painel.example.com"),
            ("http://painel.example.com:80", "http://painel.example.com"),
            ("http://painel.example.com:443", "http://painel.example.com:443"),
            ("https://Painel.Example.com:08443", "https://painel.example.com:8443"),
            ("https://época.com.br", "https://xn--poca-9oa.com.br"),
            ("https://[2001:DB8:0::1]:443", "https://[2001:db8::1]"),
        ):
            settings = load_settings(NEEDED | {"CARIMBO_PUBLIC_URL": given})
            assert DashboardOptions(settings.public_url).public_origin == origin

    def test_proxies_are_compared_as_addresses_and_not_as_texts(self) -> None:
        given = "2001:DB8:0::1, 10.0.0.1,::ffff:10.0.0.2"
        settings = load_settings(NEEDED | {"CARIMBO_PROXY_ADDRESSES": given})
        assert settings.proxies == {"2001:db8::1", "10.0.0.1", "10.0.0.2"}

    def test_every_limit_of_a_worker_is_a_setting(self) -> None:
        settings = load_settings(
            {
                **NEEDED,
                "CARIMBO_WORKER_CONCURRENCY": "5",
                "CARIMBO_WORKER_BATCH_SIZE": "3",
                "CARIMBO_WORKER_SLOW_SECONDS": "0.5",
                "CARIMBO_ATTEMPTS_BEFORE_PARKING": "4",
            }
        )
        advancer = advancer_of(settings, Mock(WorkerContext, database=None))
        assert advancer.slots == Slots(total=5, batch=3, slow_after=timedelta(seconds=0.5))
        assert advancer.policy.attempts_before_parking == 4

    def test_no_host_is_allowed_to_webhooks_unless_named(self) -> None:
        assert load_settings(NEEDED).allowed_hosts == AllowedHosts()
        named = load_settings({**NEEDED, "CARIMBO_WEBHOOK_ALLOWED_HOSTS": "localhost, 10.0.0.7:8080"})
        assert named.allowed_hosts == AllowedHosts(
            frozenset({"localhost"}), frozenset({HostPort("10.0.0.7", 8080)})
        )

    def test_every_wait_of_the_queue_is_a_setting(self) -> None:
        settings = load_settings(
            {
                **NEEDED,
                "CARIMBO_WORKER_POLL_SECONDS": "0.5",
                "CARIMBO_WORKER_RECONNECT_SECONDS": "4",
                "CARIMBO_SHUTDOWN_SECONDS": "10",
                "CARIMBO_LEASE_SECONDS": "7",
                "CARIMBO_RETRY_FIRST_SECONDS": "0.25",
                "CARIMBO_RETRY_LONGEST_SECONDS": "60",
            }
        )
        advancer = advancer_of(settings, Mock(WorkerContext, database=None))
        assert work_loop_of(settings, advancer)._options == LoopOptions(
            poll=timedelta(seconds=0.5), reconnect_after=timedelta(seconds=4), grace=timedelta(seconds=10)
        )
        assert advancer.lease == timedelta(seconds=7)
        assert advancer.policy.backoff == Backoff(timedelta(seconds=0.25), timedelta(seconds=60))

    def test_every_wait_for_an_authority_is_a_setting(self) -> None:
        timeouts = load_settings(
            {**NEEDED, "CARIMBO_AUTHORITY_CONNECT_SECONDS": "2", "CARIMBO_AUTHORITY_READ_SECONDS": "20"}
        ).authority_timeouts
        assert (timeouts.connect_seconds, timeouts.read_seconds, timeouts.whole_seconds) == (2, 20, 29)

    def test_every_pause_between_attempts_at_an_authority_is_a_setting(self) -> None:
        backoff = load_settings(
            {
                **NEEDED,
                "CARIMBO_AUTHORITY_RETRY_FIRST_SECONDS": "0.5",
                "CARIMBO_AUTHORITY_RETRY_LONGEST_SECONDS": "60",
            }
        ).authority_backoff
        assert backoff == Backoff(timedelta(seconds=0.5), timedelta(seconds=60), factor=4)

    def test_time_until_a_document_is_overdue_is_a_setting(self) -> None:
        assert load_settings(NEEDED).overdue_after == timedelta(minutes=10)
        settings = load_settings({**NEEDED, "CARIMBO_OVERDUE_MINUTES": "0.5"})
        assert settings.overdue_after == timedelta(seconds=30)


class TestRefusals:
    def test_a_misspelt_setting_is_refused(self) -> None:
        (problem,) = problems_of({**NEEDED, "CARIMBO_PROT": "8000"})
        assert problem.startswith("CARIMBO_PROT: ")

    def test_variables_without_our_prefix_are_ignored(self) -> None:
        load_settings({**NEEDED, "PATH": "/bin", "MYCARIMBO_PORT": "x", "PORT": "x"})

    def test_a_missing_database_is_refused(self) -> None:
        (problem,) = problems_of({"CARIMBO_SECRET_KEYS": KEYS})
        assert problem.startswith("CARIMBO_DATABASE_URL: ")

    def test_missing_keys_are_refused_with_the_command_that_creates_one(self) -> None:
        (problem,) = problems_of({"CARIMBO_DATABASE_URL": URL})
        assert problem.startswith("CARIMBO_SECRET_KEYS: ")
        assert "carimbo admin generate-key" in problem

    def test_keys_that_cannot_be_used_are_refused(self) -> None:
        keys = ("k1", "k1:short", f"k1:{'A' * 43}=", "k1:não é base64", "base64 without a name")
        assert not_refused_by_name([("SECRET_KEYS", key) for key in keys]) == []

    def test_unknown_names_and_missing_values_are_reported_at_once(self) -> None:
        names = [p.partition(":")[0] for p in problems_of({"CARIMBO_B": "1", "CARIMBO_A": "1"})]
        assert names == ["CARIMBO_A", "CARIMBO_B", "CARIMBO_DATABASE_URL", "CARIMBO_SECRET_KEYS"]

    def test_unknown_names_and_every_wrong_value_are_reported_at_once(self) -> None:
        wrong = {
            "CARIMBO_PROT": "1",
            "CARIMBO_PORT": "x",
            "CARIMBO_HOST": "::1",
            "CARIMBO_SWEEP_SECONDS": "0",
        }
        names = [p.partition(":")[0] for p in problems_of({**NEEDED, **wrong})]
        assert names == ["CARIMBO_PROT", "CARIMBO_PORT", "CARIMBO_SWEEP_SECONDS"]


class TestSecrets:
    def test_settings_show_neither_password_nor_key(self) -> None:
        settings = load_settings(NEEDED)
        for shown in (repr(settings), str(settings), settings.model_dump_json()):
            assert "hidden-password" not in shown
            assert KEYS not in shown

    def test_no_refusal_shows_a_secret(self) -> None:
        problems = problems_of({**NEEDED, "CARIMBO_SECRET_KEYS": f"{KEYS},{KEYS}", "CARIMBO_X": "1"})
        assert problems
        assert [line for line in problems if KEYS in line or "hidden-password" in line] == []


class TestChildEnvironment:
    def test_child_process_gets_our_environment_with_some_settings_replaced(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SOMETHING_ELSE", "kept")
        monkeypatch.setenv("CARIMBO_PORT", "1")
        child = child_environment({"port": "2", "database_url": URL})
        assert child["SOMETHING_ELSE"] == "kept"
        assert child["CARIMBO_PORT"] == "2"
        assert child["CARIMBO_DATABASE_URL"] == URL

from datetime import timedelta
from pathlib import Path
from typing import ClassVar

import pytest

from carimbo import __version__
from carimbo.fiscal.layouts.nfe_v4.parties import TechnicalResponsible
from carimbo.fiscal.software import Csrt, Software
from carimbo.outbound.allowed_hosts import AllowedHosts
from carimbo.outbound.target import Place
from carimbo.service.backoff import Backoff
from carimbo.settings import Settings, SettingsError, child_environment, load_settings
from carimbo.storage.envelope import new_key

URL = "postgresql://user:hidden-password@database/carimbo"
KEYS = new_key("k1")
NEEDED = {"CARIMBO_DATABASE_URL": URL, "CARIMBO_SECRET_KEYS": KEYS}


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"CARIMBO_{name.upper()}", raising=False)


def problems_of(environment: dict[str, str]) -> list[str]:
    with pytest.raises(SettingsError) as refused:
        load_settings(environment)
    return str(refused.value).splitlines()


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

    def test_everything_listens_on_this_machine_only(self) -> None:
        settings = load_settings(NEEDED)
        assert (settings.host, settings.port) == ("127.0.0.1", 8000)
        assert settings.metrics_host == "127.0.0.1"

    def test_logs_are_for_machines(self) -> None:
        settings = load_settings(NEEDED)
        assert (settings.log_format, settings.log_level) == ("json", "info")

    def test_every_setting_is_described(self) -> None:
        assert all(field.description for field in Settings.model_fields.values())

    def test_the_environment_of_the_process_is_what_is_read(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name, value in {**NEEDED, "CARIMBO_PORT": "8123"}.items():
            monkeypatch.setenv(name, value)
        assert load_settings().port == 8123


class TestTypes:
    def test_numbers_are_read_as_numbers(self) -> None:
        settings = load_settings({**NEEDED, "CARIMBO_PORT": "9000", "CARIMBO_LEASE_SECONDS": "0.5"})
        assert settings.port == 9000
        assert settings.lease_seconds == 0.5

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("PORT", "http"),
            ("PORT", "65536"),
            ("PORT", "-1"),
            ("DATABASE_POOL_SIZE", "0"),
            ("DATABASE_POOL_SIZE", "2.5"),
            ("LEASE_SECONDS", "0"),
            ("LEASE_SECONDS", "-3"),
            ("SWEEP_SECONDS", "soon"),
            ("LOG_FORMAT", "xml"),
            ("LOG_LEVEL", "INFO!"),
            ("WORKER_CONCURRENCY", "1"),
            ("ATTEMPTS_BEFORE_PARKING", "0"),
            ("BODY_LIMIT_BYTES", ""),
            ("SCHEMAS_FOLDER", ""),
            ("SCHEMAS_FOLDER", "."),
            ("SCHEMAS_FOLDER", "/nowhere"),
            ("TABLES_FOLDER", ""),
            ("TABLES_FOLDER", "."),
            ("TABLES_FOLDER", "/nowhere"),
            ("SIMULATOR_URL", ""),
            ("SIMULATOR_URL", "http://127.0.0.1:8443"),
            ("SIMULATOR_URL", "https://127.0.0.1:8443/svrs"),
            ("PUBLIC_URL", ""),
            ("PUBLIC_URL", "fiscal.example.com"),
            ("PUBLIC_URL", "ftp://fiscal.example.com"),
            ("PUBLIC_URL", "https://"),
            ("PUBLIC_URL", "https://user:password@fiscal.example.com"),
            ("PUBLIC_URL", "https://fiscal.example.com?a=b"),
            ("PUBLIC_URL", "https://fiscal.example.com/#a"),
            ("LINK_DAYS", "0"),
            ("AUTHORITY_CA_FILE", "ca.pem"),
            ("AUTHORITY_CA_FILE", "/nowhere.pem"),
            ("AUTHORITY_CA_FILE", "/"),
            ("AUTHORITY_CONNECT_SECONDS", "0"),
            ("AUTHORITY_READ_SECONDS", "-1"),
            ("AUTHORITY_CERTIFICATES", "0"),
            ("AUTHORITY_RETRY_FIRST_SECONDS", "0"),
            ("OVERDUE_MINUTES", "0"),
            ("WORKER_SLOW_SECONDS", "-1"),
            ("WEBHOOK_SECONDS", "0"),
            ("WEBHOOK_ALLOWED_HOSTS", "https://intranet.example"),
            ("WEBHOOK_ALLOWED_HOSTS", "10.0.0.0/8"),
            ("WEBHOOK_CA_FILE", "ca.pem"),
            ("WEBHOOK_CA_FILE", "/etc/passwd"),
        ],
    )
    def test_a_value_of_the_wrong_type_is_refused_by_name(self, name: str, value: str) -> None:
        (problem,) = problems_of({**NEEDED, f"CARIMBO_{name}": value})
        assert problem.startswith(f"CARIMBO_{name}: ")

    @pytest.mark.parametrize(
        ("given", "base"),
        [
            ({}, "http://127.0.0.1:8000"),
            ({"HOST": "::1", "PORT": "80"}, "http://[::1]:80"),
            ({"PUBLIC_URL": "https://fiscal.example.com"}, "https://fiscal.example.com"),
            ({"PUBLIC_URL": "https://fiscal.example.com:8443/api/"}, "https://fiscal.example.com:8443/api"),
        ],
        ids=["default", "ipv6", "public", "prefix"],
    )
    def test_links_begin_with_the_public_address(self, given: dict[str, str], base: str) -> None:
        settings = load_settings(NEEDED | {f"CARIMBO_{name}": value for name, value in given.items()})
        assert settings.link_base == base

    def test_a_batch_is_at_most_half_of_the_concurrency(self) -> None:
        settings = load_settings(
            {**NEEDED, "CARIMBO_WORKER_CONCURRENCY": "5", "CARIMBO_WORKER_BATCH_SIZE": "20"}
        )
        assert settings.queue_options.batch_size == 2
        assert settings.queue_options.concurrency == 5

    def test_no_host_is_allowed_to_webhooks_unless_named(self) -> None:
        assert load_settings(NEEDED).allowed_hosts == AllowedHosts()
        named = load_settings({**NEEDED, "CARIMBO_WEBHOOK_ALLOWED_HOSTS": "localhost, 10.0.0.7:8080"})
        assert named.allowed_hosts == AllowedHosts(
            frozenset({"localhost"}), frozenset({Place("10.0.0.7", 8080)})
        )

    def test_every_wait_of_the_queue_is_a_setting(self) -> None:
        options = load_settings(
            {
                **NEEDED,
                "CARIMBO_WORKER_POLL_SECONDS": "0.5",
                "CARIMBO_WORKER_HEARTBEAT_SECONDS": "7",
                "CARIMBO_RETRY_FIRST_SECONDS": "0.25",
            }
        ).queue_options
        assert options.poll_interval == timedelta(seconds=0.5)
        assert options.heartbeat_timeout == timedelta(seconds=7)
        assert options.error_delay == timedelta(seconds=0.25)

    def test_every_wait_for_an_authority_is_a_setting(self) -> None:
        patience = load_settings(
            {**NEEDED, "CARIMBO_AUTHORITY_CONNECT_SECONDS": "2", "CARIMBO_AUTHORITY_READ_SECONDS": "20"}
        ).authority_patience
        assert (patience.connect_seconds, patience.read_seconds, patience.whole_seconds) == (2, 20, 29)

    def test_every_pause_between_attempts_at_an_authority_is_a_setting(self) -> None:
        backoff = load_settings(
            {
                **NEEDED,
                "CARIMBO_AUTHORITY_RETRY_FIRST_SECONDS": "0.5",
                "CARIMBO_AUTHORITY_RETRY_LONGEST_SECONDS": "60",
            }
        ).authority_backoff
        assert backoff == Backoff(timedelta(seconds=0.5), timedelta(seconds=60), factor=4)

    def test_when_a_document_is_overdue_is_a_setting(self) -> None:
        assert load_settings(NEEDED).overdue_after == timedelta(minutes=10)
        settings = load_settings({**NEEDED, "CARIMBO_OVERDUE_MINUTES": "0.5"})
        assert settings.overdue_after == timedelta(seconds=30)


class TestTechnicalResponsible:
    GIVEN: ClassVar = {
        "CARIMBO_RESPONSIBLE_TAX_ID": "12ABC34501DE35",
        "CARIMBO_RESPONSIBLE_CONTACT": "Ana Souza",
        "CARIMBO_RESPONSIBLE_EMAIL": "fiscal@example.com",
        "CARIMBO_RESPONSIBLE_PHONE": "1133334444",
    }
    CODE: ClassVar = {"CARIMBO_RESPONSIBLE_CSRT_ID": "07", "CARIMBO_RESPONSIBLE_CSRT": "hidden-code"}

    def test_nobody_is_named_by_default(self) -> None:
        software = load_settings(NEEDED).software
        assert software == Software(f"carimbo {__version__}")
        assert (software.responsible, software.csrt) == (None, None)

    def test_whoever_is_named_stands_in_documents(self) -> None:
        software = load_settings({**NEEDED, **self.GIVEN}).software
        assert software.responsible == TechnicalResponsible(
            cnpj="12ABC34501DE35", contact="Ana Souza", email="fiscal@example.com", phone="1133334444"
        )
        assert software.csrt is None

    def test_a_security_code_comes_with_its_number(self) -> None:
        software = load_settings({**NEEDED, **self.GIVEN, **self.CODE}).software
        assert software.csrt == Csrt("07", "hidden-code")

    @pytest.mark.parametrize("missing", sorted(GIVEN))
    @pytest.mark.parametrize("how", ["absent", "empty"])
    def test_it_is_named_whole_or_not_at_all(self, missing: str, how: str) -> None:
        given = {name: value for name, value in self.GIVEN.items() if name != missing}
        partial = given if how == "absent" else {**given, missing: ""}
        (problem,) = problems_of({**NEEDED, **partial})
        assert problem.startswith(f"{missing}: ")

    @pytest.mark.parametrize("missing", sorted(CODE))
    def test_a_security_code_without_its_number_is_no_use_nor_the_other_way_round(self, missing: str) -> None:
        code = {name: value for name, value in self.CODE.items() if name != missing}
        (problem,) = problems_of({**NEEDED, **self.GIVEN, **code})
        assert problem.startswith(f"{missing}: ")

    def test_everything_that_lacks_is_told_at_once(self) -> None:
        name = "CARIMBO_RESPONSIBLE_CONTACT"
        problems = problems_of({**NEEDED, name: "Ana Souza"})
        assert [problem.partition(":")[0] for problem in problems] == [
            one for one in self.GIVEN if one != name
        ]

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("TAX_ID", "12.ABC.345/01DE-35"),
            ("TAX_ID", "1234567890123"),
            ("TAX_ID", "12abc34501de35"),
            ("TAX_ID", "12ABC34501DE36"),
            ("CSRT_ID", "1"),
            ("CONTACT", 61 * "a"),
            ("EMAIL", 61 * "a"),
            ("PHONE", "(11) 3333-4444"),
            ("PHONE", "12345"),
            ("PHONE", 15 * "1"),
        ],
    )
    def test_what_the_layout_has_no_room_for_is_refused(self, name: str, value: str) -> None:
        given = {**NEEDED, **self.GIVEN, **self.CODE, f"CARIMBO_RESPONSIBLE_{name}": value}
        (problem,) = problems_of(given)
        assert problem.startswith(f"CARIMBO_RESPONSIBLE_{name}: ")

    def test_the_security_code_does_not_show(self) -> None:
        settings = load_settings({**NEEDED, **self.GIVEN, **self.CODE})
        for shown in (repr(settings), str(settings), settings.model_dump_json()):
            assert "hidden-code" not in shown


class TestEmail:
    SERVER: ClassVar = {"CARIMBO_SMTP_HOST": "smtp.example.com", "CARIMBO_EMAIL_FROM": "notas@example.com"}
    USER: ClassVar = {"CARIMBO_SMTP_USERNAME": "loja", "CARIMBO_SMTP_PASSWORD": "hidden-mail-password"}

    def test_is_not_sent_unless_somebody_says_how(self) -> None:
        assert not load_settings(NEEDED).sends_email

    def test_goes_encrypted_to_the_usual_port(self) -> None:
        settings = load_settings({**NEEDED, **self.SERVER, **self.USER})
        options = settings.smtp_options
        assert settings.sends_email
        assert (options.host, options.port, options.security) == ("smtp.example.com", 587, "starttls")
        assert (options.username, options.password) == ("loja", "hidden-mail-password")
        assert [pause.total_seconds() for pause in settings.email_retries.pauses] == [
            60, 300, 1800, 7200, 18000,
        ]  # fmt: skip

    def test_may_go_to_a_folder(self, tmp_path: Path) -> None:
        folder = {"CARIMBO_EMAIL_FOLDER": str(tmp_path), "CARIMBO_EMAIL_FROM": "notas@example.com"}
        assert load_settings({**NEEDED, **folder}).sends_email

    @pytest.mark.parametrize("missing", ["SMTP_HOST", "EMAIL_FROM", "SMTP_USERNAME", "SMTP_PASSWORD"])
    def test_is_told_whole_or_not_at_all(self, missing: str) -> None:
        told = {**self.SERVER, **self.USER}
        del told[f"CARIMBO_{missing}"]
        (problem,) = problems_of({**NEEDED, **told})
        assert problem.startswith(f"CARIMBO_{missing}: ")

    def test_needs_an_address_for_a_folder_too(self, tmp_path: Path) -> None:
        (problem,) = problems_of({**NEEDED, "CARIMBO_EMAIL_FOLDER": str(tmp_path)})
        assert problem.startswith("CARIMBO_EMAIL_FROM: ")

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("SMTP_SECURITY", "ssl"),
            ("SMTP_PORT", "mail"),
            ("SMTP_SECONDS", "0"),
            ("SMTP_CA_FILE", "/nowhere.pem"),
            ("EMAIL_FROM", "Loja <notas@example.com>"),
            ("EMAIL_FROM", "joão@example.com"),
            ("EMAIL_FROM", "a..b@example.com"),
            ("EMAIL_RETRY_SECONDS", "soon"),
            ("EMAIL_RETRY_SECONDS", "1,2,3,4,5,6"),
            ("EMAIL_HISTORY_DAYS", "0"),
        ],
    )
    def test_with_a_wrong_value_is_refused(self, name: str, value: str) -> None:
        (problem,) = problems_of({**NEEDED, **self.SERVER, f"CARIMBO_{name}": value})
        assert problem.startswith(f"CARIMBO_{name}: ")

    def test_does_not_go_to_a_folder_that_is_not_there(self) -> None:
        told = {"CARIMBO_EMAIL_FOLDER": "/nowhere", "CARIMBO_EMAIL_FROM": "notas@example.com"}
        (problem,) = problems_of({**NEEDED, **told})
        assert problem.startswith("CARIMBO_EMAIL_FOLDER: valor inválido")

    @pytest.mark.parametrize(
        "host",
        [
            "https://smtp.example.com",
            "smtp.example.com:587",
            "smtp.example.com/",
            "user@smtp.example.com",
            "smtp.example.com,other.example.com",
            "smtp .example.com",
            " smtp.example.com",
            " ",
            "[::1]:25",
        ],
    )
    def test_goes_to_a_host_and_nothing_else(self, host: str) -> None:
        (problem,) = problems_of({**NEEDED, **self.SERVER, "CARIMBO_SMTP_HOST": host})
        assert problem.startswith("CARIMBO_SMTP_HOST: valor inválido")

    @pytest.mark.parametrize("host", ["smtp.example.com", "mailpit", "mail_server", "10.0.0.7", "::1"])
    def test_goes_to_hosts_by_name_and_by_address(self, host: str) -> None:
        assert load_settings({**NEEDED, **self.SERVER, "CARIMBO_SMTP_HOST": host}).smtp_options.host == host

    @pytest.mark.parametrize("name", [name for name in Settings.model_fields if name.startswith("smtp_")])
    def test_with_something_of_a_server_needs_the_server(self, name: str, tmp_path: Path) -> None:
        values = {"port": "25", "security": "none", "ca_file": str(tmp_path), "seconds": "3"}
        value = values.get(name.removeprefix("smtp_"), "loja")
        told = {**NEEDED, f"CARIMBO_{name.upper()}": value}
        wanted = "EMAIL_FROM" if name == "smtp_host" else "SMTP_HOST"
        assert f"CARIMBO_{wanted}: informe também este dado do envio de e-mails" in problems_of(told)

    @pytest.mark.parametrize(
        "name", [name for name in Settings.model_fields if name.startswith(("smtp_", "email_"))]
    )
    def test_with_something_empty_is_as_without_it(self, name: str) -> None:
        assert load_settings({**NEEDED, f"CARIMBO_{name.upper()}": ""}) == load_settings(NEEDED)

    def test_goes_to_a_folder_or_to_a_server_but_not_to_both(self, tmp_path: Path) -> None:
        (problem,) = problems_of({**NEEDED, **self.SERVER, "CARIMBO_EMAIL_FOLDER": str(tmp_path)})
        assert problem.startswith("CARIMBO_EMAIL_FOLDER: a pasta e o servidor (CARIMBO_SMTP_HOST) se excluem")

    @pytest.mark.parametrize("host", ["smtp.example.com", "10.0.0.7", "localhost.example.com"])
    def test_shows_no_password_to_the_network(self, host: str) -> None:
        told = {**self.SERVER, **self.USER, "CARIMBO_SMTP_HOST": host, "CARIMBO_SMTP_SECURITY": "none"}
        (problem,) = problems_of({**NEEDED, **told})
        assert problem.startswith("CARIMBO_SMTP_SECURITY: a senha iria sem criptografia")

    @pytest.mark.parametrize("host", ["localhost", "LocalHost", "127.0.0.1", "127.8.9.10", "::1"])
    def test_may_show_its_password_to_this_machine(self, host: str) -> None:
        told = {**self.SERVER, **self.USER, "CARIMBO_SMTP_HOST": host, "CARIMBO_SMTP_SECURITY": "none"}
        assert load_settings({**NEEDED, **told}).sends_email

    def test_without_a_password_may_go_as_it_is(self) -> None:
        assert load_settings({**NEEDED, **self.SERVER, "CARIMBO_SMTP_SECURITY": "none"}).sends_email

    def test_stays_in_the_log_for_three_months(self) -> None:
        assert load_settings(NEEDED).email_history_days == 90

    def test_shows_no_password(self) -> None:
        settings = load_settings({**NEEDED, **self.SERVER, **self.USER})
        for shown in (repr(settings), str(settings), settings.model_dump_json(), repr(settings.smtp_options)):
            assert "hidden-mail-password" not in shown


class TestRefusals:
    def test_a_misspelt_setting_is_refused(self) -> None:
        (problem,) = problems_of({**NEEDED, "CARIMBO_PROT": "8000"})
        assert problem.startswith("CARIMBO_PROT: ")

    def test_variables_of_others_are_none_of_our_business(self) -> None:
        load_settings({**NEEDED, "PATH": "/bin", "MYCARIMBO_PORT": "x", "PORT": "x"})

    def test_a_missing_database_is_refused(self) -> None:
        (problem,) = problems_of({"CARIMBO_SECRET_KEYS": KEYS})
        assert problem.startswith("CARIMBO_DATABASE_URL: ")

    def test_missing_keys_are_refused_with_the_command_that_makes_one(self) -> None:
        (problem,) = problems_of({"CARIMBO_DATABASE_URL": URL})
        assert problem.startswith("CARIMBO_SECRET_KEYS: ")
        assert "carimbo admin generate-key" in problem

    @pytest.mark.parametrize(
        "keys", ["k1", "k1:short", f"k1:{'A' * 43}=", "k1:não é base64", "base64 without a name"]
    )
    def test_keys_that_cannot_be_used_are_refused(self, keys: str) -> None:
        (problem,) = problems_of({**NEEDED, "CARIMBO_SECRET_KEYS": keys})
        assert problem.startswith("CARIMBO_SECRET_KEYS: ")

    def test_unknown_names_and_missing_values_are_told_at_once(self) -> None:
        names = [p.partition(":")[0] for p in problems_of({"CARIMBO_B": "1", "CARIMBO_A": "1"})]
        assert names == ["CARIMBO_A", "CARIMBO_B", "CARIMBO_DATABASE_URL", "CARIMBO_SECRET_KEYS"]

    def test_unknown_names_and_every_wrong_value_are_told_at_once(self) -> None:
        wrong = {
            "CARIMBO_PROT": "1",
            "CARIMBO_PORT": "x",
            "CARIMBO_HOST": "::1",
            "CARIMBO_SWEEP_SECONDS": "0",
        }
        names = [p.partition(":")[0] for p in problems_of({**NEEDED, **wrong})]
        assert names == ["CARIMBO_PROT", "CARIMBO_PORT", "CARIMBO_SWEEP_SECONDS"]


class TestSecrets:
    def test_neither_password_nor_key_shows_in_the_settings(self) -> None:
        settings = load_settings(NEEDED)
        for shown in (repr(settings), str(settings), settings.model_dump_json()):
            assert "hidden-password" not in shown
            assert KEYS not in shown

    def test_no_refusal_shows_a_secret(self) -> None:
        told = "\n".join(problems_of({**NEEDED, "CARIMBO_SECRET_KEYS": f"{KEYS},{KEYS}", "CARIMBO_X": "1"}))
        assert KEYS not in told
        assert "hidden-password" not in told


class TestChildEnvironment:
    def test_a_child_gets_our_environment_with_some_settings_replaced(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SOMETHING_ELSE", "kept")
        monkeypatch.setenv("CARIMBO_PORT", "1")
        child = child_environment({"port": "2", "database_url": URL})
        assert child["SOMETHING_ELSE"] == "kept"
        assert child["CARIMBO_PORT"] == "2"
        assert child["CARIMBO_DATABASE_URL"] == URL

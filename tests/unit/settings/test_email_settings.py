from pathlib import Path
from typing import ClassVar

import pytest

from carimbo.settings import Settings, load_settings
from unit.settings.needed_settings import NEEDED, problems_of


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
        assert problem == "CARIMBO_EMAIL_FOLDER: não há uma pasta neste caminho"

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
        assert problem.startswith("CARIMBO_SMTP_HOST: informe só o nome")

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

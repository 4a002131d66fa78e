"""The settings of e-mails: a server or a folder, never half of one."""

from pathlib import Path
from typing import ClassVar

from carimbo.settings import Settings, load_settings
from unit.settings.needed_settings import NEEDED, not_refused_by_name, problems_of


class TestEmail:
    SERVER: ClassVar = {"CARIMBO_SMTP_HOST": "smtp.example.com", "CARIMBO_EMAIL_FROM": "notas@example.com"}
    USER: ClassVar = {"CARIMBO_SMTP_USERNAME": "loja", "CARIMBO_SMTP_PASSWORD": "hidden-mail-password"}
    UNENCRYPTED: ClassVar = {**NEEDED, **SERVER, **USER, "CARIMBO_SMTP_SECURITY": "none"}

    def test_email_is_not_sent_by_default(self) -> None:
        assert not load_settings(NEEDED).sends_email

    def test_email_is_sent_encrypted_to_the_usual_port(self) -> None:
        settings = load_settings({**NEEDED, **self.SERVER, **self.USER})
        options = settings.smtp_options
        assert settings.sends_email
        assert (options.host, options.port, options.security) == ("smtp.example.com", 587, "starttls")
        assert (options.username, options.password) == ("loja", "hidden-mail-password")
        assert [pause.total_seconds() for pause in settings.email_retries.pauses] == [
            60, 300, 1800, 7200, 18000,
        ]  # fmt: skip

    def test_email_may_be_written_to_a_folder(self, tmp_path: Path) -> None:
        folder = {"CARIMBO_EMAIL_FOLDER": str(tmp_path), "CARIMBO_EMAIL_FROM": "notas@example.com"}
        assert load_settings({**NEEDED, **folder}).sends_email

    def test_email_is_configured_completely_or_not_at_all(self) -> None:
        whole = {**NEEDED, **self.SERVER, **self.USER}
        for missing in (*self.SERVER, *self.USER):
            problems = problems_of({name: value for name, value in whole.items() if name != missing})
            assert [problem.partition(":")[0] for problem in problems] == [missing]

    def test_email_folder_needs_a_sender_address_too(self, tmp_path: Path) -> None:
        (problem,) = problems_of({**NEEDED, "CARIMBO_EMAIL_FOLDER": str(tmp_path)})
        assert problem.startswith("CARIMBO_EMAIL_FROM: ")

    def test_email_setting_with_a_wrong_value_is_refused(self) -> None:
        values = (
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
        )
        assert not_refused_by_name(values, NEEDED | self.SERVER) == []

    def test_missing_email_folder_is_refused(self) -> None:
        settings = {"CARIMBO_EMAIL_FOLDER": "/nowhere", "CARIMBO_EMAIL_FROM": "notas@example.com"}
        (problem,) = problems_of({**NEEDED, **settings})
        assert problem == "CARIMBO_EMAIL_FOLDER: não há uma pasta neste caminho"

    def test_email_host_must_be_only_a_host(self) -> None:
        hosts = (
            "https://smtp.example.com",
            "smtp.example.com:587",
            "smtp.example.com/",
            "user@smtp.example.com",
            "smtp.example.com,other.example.com",
            "smtp .example.com",
            " smtp.example.com",
            " ",
            "[::1]:25",
        )
        values = [("SMTP_HOST", host) for host in hosts]
        assert not_refused_by_name(values, NEEDED | self.SERVER, "informe só o nome") == []

    def test_email_host_may_be_a_name_or_an_address(self) -> None:
        for host in ("smtp.example.com", "mailpit", "mail_server", "10.0.0.7", "::1"):
            settings = load_settings({**NEEDED, **self.SERVER, "CARIMBO_SMTP_HOST": host})
            assert settings.smtp_options.host == host

    def test_email_server_settings_need_the_server(self, tmp_path: Path) -> None:
        values = {"port": "25", "security": "none", "ca_file": str(tmp_path), "seconds": "3"}
        for name in [name for name in Settings.model_fields if name.startswith("smtp_")]:
            value = values.get(name.removeprefix("smtp_"), "loja")
            wanted = "EMAIL_FROM" if name == "smtp_host" else "SMTP_HOST"
            problems = problems_of({**NEEDED, f"CARIMBO_{name.upper()}": value})
            assert f"CARIMBO_{wanted}: informe também este dado do envio de e-mails" in problems, name

    def test_empty_email_settings_count_as_unset(self) -> None:
        default = load_settings(NEEDED)
        names = [name for name in Settings.model_fields if name.startswith(("smtp_", "email_"))]
        assert names
        given = {name: load_settings({**NEEDED, f"CARIMBO_{name.upper()}": ""}) for name in names}
        assert [name for name, settings in given.items() if settings != default] == []

    def test_email_folder_and_server_exclude_each_other(self, tmp_path: Path) -> None:
        (problem,) = problems_of({**NEEDED, **self.SERVER, "CARIMBO_EMAIL_FOLDER": str(tmp_path)})
        assert problem.startswith("CARIMBO_EMAIL_FOLDER: a pasta e o servidor (CARIMBO_SMTP_HOST) se excluem")

    def test_email_password_needs_an_encrypted_connection(self) -> None:
        for host in ("smtp.example.com", "10.0.0.7", "localhost.example.com"):
            problems = problems_of({**self.UNENCRYPTED, "CARIMBO_SMTP_HOST": host})
            assert len(problems) == 1, host
            assert problems[0].startswith("CARIMBO_SMTP_SECURITY: a senha iria sem criptografia"), host

    def test_email_password_may_be_sent_unencrypted_to_this_machine(self) -> None:
        for host in ("localhost", "LocalHost", "127.0.0.1", "127.8.9.10", "::1"):
            assert load_settings({**self.UNENCRYPTED, "CARIMBO_SMTP_HOST": host}).sends_email, host

    def test_email_without_a_password_may_be_unencrypted(self) -> None:
        assert load_settings({**NEEDED, **self.SERVER, "CARIMBO_SMTP_SECURITY": "none"}).sends_email

    def test_email_log_is_kept_for_three_months(self) -> None:
        assert load_settings(NEEDED).email_history_days == 90

    def test_email_settings_do_not_show_the_password(self) -> None:
        settings = load_settings({**NEEDED, **self.SERVER, **self.USER})
        for shown in (repr(settings), str(settings), settings.model_dump_json(), repr(settings.smtp_options)):
            assert "hidden-mail-password" not in shown

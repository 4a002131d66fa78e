"""The commands that the demo prints."""

import io
import json
import re
import shlex
from pathlib import Path

import pytest
from rich.console import Console

from carimbo.demo.greeting import greet, made_up_notes, write_curl_files
from carimbo.demo.issuing import SampleProgress
from carimbo.demo.samples import NFE_BODY, SALE_BODY, SAMPLES

FACTS = {
    "baseUrl": "http://127.0.0.1:8000",
    "dashboardUrl": "http://localhost:8000/painel/entrar/link/abc",
    "apiKey": "the-key",
    "apiSecret": "the-secret",
    "companyId": "the-company",
    "simulatorUrl": "https://127.0.0.1:8443",
    "simulatorControlUrl": "http://127.0.0.1:8444",
    "emailFolder": "/data/emails",
}
AUTHORIZED = SampleProgress(SAMPLES[0], {"id": "the-document", "status": "authorized"}, 0, 1)
REJECTED = SampleProgress(SAMPLES[0], {"id": "another", "status": "rejected"}, 0, 1)


def commands(folder: Path, *samples: SampleProgress) -> list[list[str]]:
    file = io.StringIO()
    greet(Console(file=file, width=40), folder, FACTS, samples)
    return [shlex.split(line) for line in file.getvalue().splitlines() if line.startswith("curl")]


class TestCommands:
    def test_printed_commands_issue_read_sell_and_download(self) -> None:
        issue, read, sell, download, paper = commands(Path("/data"), REJECTED, AUTHORIZED)
        assert issue[-3:] == ["-d", "@/data/nfe.json", "http://127.0.0.1:8000/v1/companies/the-company/nfe"]
        assert read[1:] == ["-s", "-H", "@/data/headers", issue[-1]]
        assert sell[-3:] == ["-d", "@/data/sale.json", "http://127.0.0.1:8000/v1/companies/the-company/sales"]
        assert download[-1] == "http://127.0.0.1:8000/v1/invoices/the-document.xml"
        assert paper[-3:] == ["-o", "danfe.pdf", "http://127.0.0.1:8000/v1/invoices/the-document.pdf"]

    def test_download_command_is_missing_when_nothing_is_authorized(self) -> None:
        assert len(commands(Path("/data"), REJECTED)) == 3

    def test_printed_commands_work_in_a_folder_with_spaces(self) -> None:
        assert "@/my data/headers" in commands(Path("/my data"))[0]


class TestPlaces:
    def test_places_include_the_folder_of_the_e_mails(self) -> None:
        file = io.StringIO()
        greet(Console(file=file, width=40), Path("/data"), FACTS, [])
        assert "\nE-mails       /data/emails\n" in file.getvalue()


class TestMadeUpThings:
    def test_made_up_values_are_shown_among_the_places(self) -> None:
        file, rates = io.StringIO(), Path("/data/tables/ibs_cbs_rates.csv")
        greet(Console(file=file, width=40), Path("/data"), FACTS, [], made_up_notes(rates, 3600))
        assert re.search(r"\nRelógio       \d\d/\d\d/20\d\d \d\d:\d\d:\d\d em Brasília", file.getvalue())
        assert f"\nCBS de 2027   inventada: 11,11%, só na demonstração ({rates})\n" in file.getvalue()

    def test_made_up_values_are_not_mentioned_where_there_are_none(self) -> None:
        assert made_up_notes(None, 0) == []


class TestFiles:
    def test_files_name_the_addresses_of_api_company_simulator_and_panel(self, tmp_path: Path) -> None:
        write_curl_files(tmp_path, FACTS)
        assert (tmp_path / "env").read_text() == (
            "export BASE=http://127.0.0.1:8000\n"
            "export COMPANY=http://127.0.0.1:8000/v1/companies/the-company\n"
            "export SIMULATOR=https://127.0.0.1:8443\n"
            "export PANEL=http://127.0.0.1:8444\n"
        )

    def test_files_with_credentials_are_readable_by_their_owner_only(self, tmp_path: Path) -> None:
        write_curl_files(tmp_path, FACTS)
        assert (tmp_path / "headers").read_text() == "X-Api-Key: the-key\nX-Api-Secret: the-secret\n"
        assert (tmp_path / "headers").stat().st_mode & 0o777 == 0o600

    @pytest.mark.parametrize(
        ("name", "body"), [("nfe.json", NFE_BODY), ("sale.json", SALE_BODY)], ids=["nfe", "sale"]
    )
    @pytest.mark.parametrize("there", [None, {"items": []}], ids=["absent", "changed"])
    def test_body_that_the_user_changed_is_kept(
        self, tmp_path: Path, name: str, body: object, there: object
    ) -> None:
        if there:
            (tmp_path / name).write_text(json.dumps(there))
        write_curl_files(tmp_path, FACTS)
        assert json.loads((tmp_path / name).read_text(encoding="utf-8")) == (there or body)

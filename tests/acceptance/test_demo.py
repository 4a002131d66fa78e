"""`carimbo demo` as at a terminal: real processes, a real PostgreSQL, real signals."""

import json
import os
import re
import shlex
import shutil
import signal
import ssl
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import httpx2
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, pkcs12

from acceptance.demo_runs import (
    START_SECONDS,
    Demo,
    Start,
    is_one_sentence,
    run_refused_demo,
    until,
    upload,
)
from carimbo.demo.samples import NFE_BODY
from carimbo.fiscal.layouts.soap import envelope
from carimbo.fiscal.registry import DOCUMENT_TYPES, FEATURES
from carimbo.fiscal.sample_certificate import SampleAuthority
from nfe_dialect import status_query
from support import TIMEOUT_SECONDS, free_port, local_http

STATUS_QUERY = envelope(
    "http://www.portalfiscal.inf.br/nfe/wsdl/NFeStatusServico4", status_query("2", "35"), "nfeDadosMsg"
)
FACTS = {
    "baseUrl", "apiKey", "apiSecret", "companyId", "dashboardUrl", "mcpUrl", "simulatorUrl",
    "simulatorControlUrl", "simulatorCaFile", "certificateFile", "databaseUrl", "emailFolder",
}  # fmt: skip

LOST_AMOUNT = 92.5
RECEIVED = 3


@pytest.fixture(scope="module")
def first(start: Start, new_folder: Callable[[], Path]) -> Demo:
    """A demo in an empty folder."""
    return start(new_folder()).wait_until_ready()


class TestFirstStart:
    def test_demo_json_has_everything_that_a_program_needs(self, first: Demo) -> None:
        assert set(first.facts) == FACTS
        assert first.facts["baseUrl"] == f"http://127.0.0.1:{first.port}"

    @pytest.mark.parametrize("name", ["demo.json", "headers", "secret-keys"])
    def test_files_with_secrets_are_readable_by_their_owner_only(self, first: Demo, name: str) -> None:
        assert (first.data / name).stat().st_mode & 0o777 == 0o600

    def test_env_file_has_the_addresses_for_a_shell(self, first: Demo) -> None:
        script = '. "$0"; echo "$BASE $COMPANY $SIMULATOR $PANEL"'
        shell = subprocess.run(
            ["sh", "-c", script, first.data / "env"], capture_output=True, text=True, check=True
        )
        facts = first.facts
        company = f"{facts['baseUrl']}/v1/companies/{facts['companyId']}"
        addresses = [facts["baseUrl"], company, facts["simulatorUrl"], facts["simulatorControlUrl"]]
        assert shell.stdout.split() == addresses

    def test_log_shows_the_samples_with_their_outcomes(self, first: Demo) -> None:
        rows = re.findall(r"^(NFC?-e) +(\d+) (\w+) +[\d,]+ +[\d,]+ ", first.log, re.MULTILINE)
        shown = sorted((title, int(number), word) for title, number, word in rows)
        numbers = [("NF-e", 1), ("NF-e", 2), ("NF-e", 3), ("NF-e", 4), ("NFC-e", 1), ("NFC-e", 2)]
        assert [row[:2] for row in shown] == numbers
        assert sorted(row[2] for row in shown) == ["autorizada"] * 5 + ["rejeitada"]
        assert "506 Rejeição: Data de Saída menor que" in first.log
        assert "em processamento" not in first.log

    def test_the_samples_are_documents_of_the_company(self, first: Demo) -> None:
        authorized = first.get("/v1/companies/{companyId}/invoices?status=authorized")
        shown = set(re.findall(r"^ +(\d{44}) *$", first.log, re.MULTILINE))
        assert len(shown) == 8
        assert shown <= {document["accessKey"] for document in authorized}
        (rejected,) = first.get("/v1/companies/{companyId}/invoices?status=rejected")
        assert (rejected["type"], rejected["rejection"]["code"]) == ("nfe", "506")

    def test_the_sample_with_a_lost_answer_is_authorized_by_a_consult(self, first: Demo) -> None:
        documents = first.get("/v1/companies/{companyId}/nfe")
        (lost,) = [document for document in documents if document["amount"] == LOST_AMOUNT]
        events = first.get(f"/v1/companies/{{companyId}}/nfe/{lost['id']}/events")
        history = [event["type"] for event in events]
        assert history.count("transmitted") == 1
        assert history[-2:] == ["consulted", "authorized"]

    def test_the_manifest_lists_an_nfe_of_the_company_and_is_closed(self, first: Demo) -> None:
        (manifest,) = first.get("/v1/companies/{companyId}/mdfe")
        assert (manifest["status"], manifest["closedAt"] is not None) == ("authorized", True)

    def test_the_company_receives_the_nfes_of_a_supplier(self, first: Demo) -> None:
        received = "/v1/companies/{companyId}/received-nfes"
        until(lambda: len(first.get(received)) == RECEIVED, START_SECONDS)
        assert {each["issuer"]["name"] for each in first.get(received)} == {"Atacado Central Ltda"}

    def test_a_catalog_sale_becomes_an_nfse_and_an_nfe(self, first: Demo) -> None:
        sales = first.get("/v1/companies/{companyId}/sales")
        (sale,) = [sale for sale in sales if len(sale["products"]) > 1]
        assert sale["status"] == "invoiced"
        assert [product["sku"] for product in sale["products"]] == ["programa-estoque", "leitor-usb"]
        assert {invoice["type"] for invoice in sale["invoices"]} == {"nfse", "nfe"}
        assert first.log.count("da mesma venda") == len(sale["invoices"]) == 2

    def test_documents_are_mailed_to_the_folder_that_the_log_names(self, first: Demo) -> None:
        folder = Path(first.facts["emailFolder"])
        assert f"E-mails       {folder}\n" in first.log
        authorized = first.get("/v1/companies/{companyId}/invoices?status=authorized&pageSize=100")
        keys = {document["accessKey"] for document in authorized if document["type"] not in ("nfce", "mdfe")}
        until(lambda: keys <= mailed_keys(folder), START_SECONDS)
        (file, *_) = folder.glob("NF-e-1-*.eml")
        message = message_from_bytes(file.read_bytes(), policy=policy.default)
        assert message["From"] == "Loja Modelo <notas@example.com>"
        assert message["To"].endswith("@example.com>")

    def test_webhooks_reach_this_machine_and_their_links_open(self, first: Demo) -> None:
        with HTTPServer(("127.0.0.1", 0), Hook) as server:
            server.timeout = START_SECONDS
            wanted = {
                "url": f"http://127.0.0.1:{server.server_port}",
                "events": {"invoice": ["nfe.authorized"]},
            }
            created = first.call("POST", "/v1/webhooks", json=wanted).json()["data"]
            company = first.facts["companyId"]
            issued = first.call("POST", f"/v1/companies/{company}/nfe", json=NFE_BODY).json()["data"]
            server.handle_request()
        first.call("DELETE", f"/v1/webhooks/{created['id']}")
        received = Hook.received["data"]
        assert received["id"] == issued["id"]
        assert local_http().get(received["pdfUrl"]).content.startswith(b"%PDF-")
        assert b"</nfeProc>" in local_http().get(received["xmlUrl"]).content

    def test_the_printed_commands_work_unchanged(self, first: Demo) -> None:
        issue, read, sell, download, paper = re.findall(r"^curl .*$", first.log, re.MULTILINE)
        issued = json.loads(output_of(issue))["data"]
        assert (issued["type"], issued["status"]) == ("nfe", "processing")
        assert json.loads(output_of(read))["data"][0]["id"] == issued["id"]
        sold = json.loads(output_of(sell))["data"]["invoices"]
        assert [invoice["type"] for invoice in sold] == ["nfse", "nfe"]
        assert "</nfeProc>" in output_of(download)
        assert output_of(paper.replace(" -o danfe.pdf ", " ")).startswith("%PDF-")

    def test_the_company_has_all_its_fields(self, first: Demo) -> None:
        company = first.get("/v1/companies/{companyId}")
        assert company["taxRegime"] == "simples"
        assert (company["address"]["city"], company["address"]["state"]) == ("São Paulo", "SP")
        needed = ("zipcode", "street", "number", "district")
        assert all(company["address"][name] for name in needed)
        assert company["municipalRegistration"]

    def test_the_company_has_a_state_registration(self, first: Demo) -> None:
        (registration,) = first.get("/v1/companies/{companyId}/state-registrations")
        assert (registration["state"], registration["number"]) == ("SP", "110042490114")

    def test_the_company_has_a_valid_certificate_of_its_own(self, first: Demo) -> None:
        certificate = first.get("/v1/companies/{companyId}/certificate")["certificate"]
        assert certificate["taxId"] == first.get("/v1/companies/{companyId}")["taxId"]
        assert datetime.fromisoformat(certificate["validFrom"]) < datetime.now(UTC)
        assert datetime.fromisoformat(certificate["expiresAt"]) > datetime.now(UTC) + timedelta(days=300)

    def test_every_document_type_is_set_up(self, first: Demo) -> None:
        settings = first.get("/v1/companies/{companyId}/settings")
        assert {
            document_type.name: settings[document_type.name]["series"] for document_type in DOCUMENT_TYPES
        } == dict.fromkeys((document_type.name for document_type in DOCUMENT_TYPES), 1)
        assert settings["nfce"]["active"] and settings["cte"]["active"]
        assert settings["nfce"]["csc"].startswith("*")

    def test_the_subscription_has_no_limit_and_every_feature(self, first: Demo) -> None:
        subscription = first.get("/v1/subscription")
        assert subscription["plan"]["name"] == "unlimited"
        assert subscription["features"] == sorted(FEATURES)
        assert subscription["usage"]["limit"] is None

    def test_the_simulator_is_up_and_accepts_the_companys_certificate(self, first: Demo) -> None:
        trusted = ssl.create_default_context(cafile=first.facts["simulatorCaFile"])
        trusted.load_cert_chain(pem_of(Path(first.facts["certificateFile"])))
        with httpx2.Client(verify=trusted, base_url=first.facts["simulatorUrl"]) as client:
            answer = client.post("/sp/nfe/NFeStatusServico4", content=STATUS_QUERY)
        assert "<cStat>107</cStat>" in answer.text
        journal = local_http().get(first.facts["simulatorControlUrl"] + "/journal").json()
        taxpayers = [entry["taxpayer"] for entry in journal if entry["service"] == "NFeStatusServico4"]
        assert taxpayers == ["11222333000181"]

    def test_every_process_writes_to_one_log(self, first: Demo) -> None:
        assert re.search(r"^simulator │ O simulador está no ar", first.log, re.MULTILINE)
        assert re.search(r"^ +api │ .*startup complete", first.log, re.MULTILINE)
        assert re.search(r"^ +worker │ .*worker_started", first.log, re.MULTILINE)

    def test_a_port_in_use_is_reported_with_a_working_command_and_nothing_starts(
        self, first: Demo, new_folder: Callable[[], Path]
    ) -> None:
        elsewhere = new_folder()
        refused = run_refused_demo(elsewhere, "--port", str(first.port))
        assert refused.returncode == 1
        assert f"A porta {first.port} (--port) já está em uso." in refused.stderr
        assert f"{sys.executable} -m carimbo demo --port " in refused.stderr
        assert refused.stdout == ""
        assert not (elsewhere / ".carimbo/postgres").exists()

    def test_a_second_demo_in_the_same_folder_is_refused_and_harms_nothing(self, first: Demo) -> None:
        refused = run_refused_demo(first.data.parent, "--port", str(free_port()))
        assert refused.returncode == 1
        assert is_one_sentence(refused.stderr) and ".carimbo" in refused.stderr
        assert first.get("/v1/subscription")

    def test_a_killed_database_is_restarted_and_the_api_continues(self, first: Demo) -> None:
        pid_file = first.data / "postgres/postmaster.pid"
        os.kill(int(pid_file.read_text().split()[0]), signal.SIGKILL)
        until(lambda: "O PostgreSQL da demonstração terminou e foi iniciado de novo." in first.log, 60)
        until(lambda: first.call("GET", "/readyz").status_code == 200, 60)
        assert first.get("/v1/subscription")


class TestEnding:
    def test_no_secret_is_written_to_the_log(self, first: Demo) -> None:
        """Covers successful and failed uploads, a new CSC and a rotated API secret."""
        path = f"/v1/companies/{first.facts['companyId']}"
        password, csc, old_secret = "p4ssw0rd-distinctive", "C5C-D1ST1NCT1VE-0000", first.facts["apiSecret"]
        assert upload(first, path, another_certificate(first, path, password), password) == 200
        assert upload(first, path, another_certificate(first, path, password), "wr0ng-distinctive") == 422
        assert first.call("PUT", f"{path}/settings", json={"nfce": {"csc": csc}}).status_code == 200
        rotated = first.call("POST", "/v1/user/api-credentials", json={}).json()["data"]["apiSecret"]
        until(lambda: "/v1/user/api-credentials" in first.log, START_SECONDS)
        lines = "\n".join(line for line in first.log.splitlines() if " │ " in line)
        secrets = (password, "wr0ng-distinctive", csc, old_secret, rotated)
        assert [secret for secret in secrets if secret in lines] == []

    def test_ctrl_c_sent_to_the_demo_alone_leaves_nothing_running(self, first: Demo) -> None:
        assert first.end(lambda: first.process.send_signal(signal.SIGINT)) == 0


def pem_of(pfx: Path) -> Path:
    """Writes the key and certificate of an A1 file as PEM beside it, for TLS libraries."""
    key, certificate, _ = pkcs12.load_key_and_certificates(pfx.read_bytes(), b"carimbo")
    assert key and certificate
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file = pfx.with_suffix(".pem")
    file.write_bytes(private + certificate.public_bytes(Encoding.PEM))
    return file


def another_certificate(demo: Demo, path: str, password: str) -> bytes:
    """Returns an A1 file of the demo's company that its simulator does not know."""
    now = datetime.now(UTC)
    issued = SampleAuthority.create(now).issue_company(
        demo.get(path)["taxId"], "LOJA MODELO", now - timedelta(hours=1), now + timedelta(days=90)
    )
    return issued.to_pfx(password)


def output_of(curl_line: str) -> str:
    """Runs the line in a shell; without curl, makes the same request."""
    if shutil.which("curl"):
        return subprocess.run(
            ["sh", "-c", curl_line],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_SECONDS,
            check=True,
        ).stdout
    _, _, *options, url = shlex.split(curl_line)
    pairs = list(zip(options[::2], options[1::2], strict=True))
    lines = [line for option, value in pairs if option == "-H" for line in content_of(value).splitlines()]
    headers = dict(line.split(": ", 1) for line in lines)
    bodies = [content_of(value).encode() for option, value in pairs if option == "-d"]
    return httpx2.request("POST" if bodies else "GET", url, headers=headers, content=b"".join(bodies)).text


def mailed_keys(folder: Path) -> set[str]:
    """Returns the access keys of all documents whose XML is in an e-mail of a folder."""
    matches = (re.search(rb'filename="(\w+)\.xml"', file.read_bytes()) for file in folder.glob("*.eml"))
    return {match[1].decode() for match in matches if match}


def content_of(value: str) -> str:
    """Returns the value of a curl option, which may be in a file."""
    return Path(value[1:]).read_text(encoding="utf-8") if value.startswith("@") else value


class Hook(BaseHTTPRequestHandler):
    """Stores the body of a webhook call."""

    received: ClassVar[dict[str, Any]] = {}

    def do_POST(self) -> None:
        Hook.received = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()

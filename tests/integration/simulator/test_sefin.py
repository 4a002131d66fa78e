"""The Sefin Nacional of a running simulator, over TLS: the HTTP layer before the rules."""

import asyncio
import gzip
import json
import ssl
from base64 import b64decode, b64encode
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import httpx2
import pytest
from lxml import etree

from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.sample_certificate import SampleCertificate
from carimbo.simulator.program.run import Simulator
from unit.simulator.mutating import at
from unit.simulator.nfse.declaring import base, mutated
from unit.simulator.wire import get, wire

SEFIN, ADN = "/sefin/nfse/SefinNacional", "/adn/nfse/parametrizacao"
_NUMBERS = count(1)


@pytest.fixture(scope="module")
def tls(simulator: Simulator, company_of_simulator: SampleCertificate, pfx_file: Path) -> ssl.SSLContext:
    """The TLS context of a client with a certificate that the simulator trusts."""
    context = ssl.create_default_context(cafile=simulator.certificates.ca_file)
    file = pfx_file.with_suffix(".sefin.pem")
    file.write_bytes(company_of_simulator.to_pem())
    context.load_cert_chain(file)
    return context


@pytest.fixture(scope="module")
def signer(company_of_simulator: SampleCertificate) -> Signer:
    return Signer.of(A1Certificate.from_bundle(company_of_simulator.to_pem()))


def declared(signer: Signer, description: str = "DESENVOLVIMENTO DE SISTEMA", name: str = "simples") -> bytes:
    """Returns a new signed declaration (DPS) of this moment."""
    now = datetime.now(UTC) - timedelta(hours=3)
    values = {
        "dhEmi": f"{now:%Y-%m-%dT%H:%M:%S}-03:00",
        "dCompet": f"{now:%Y-%m-%d}",
        "nDPS": str(1000 + next(_NUMBERS)),
        "serv/cServ/xDescServ": description,
    }

    def edit(root: etree._Element) -> None:
        for path, text in values.items():
            at(root, f"infDPS/{path}").text = text

    return mutated(base(name, signer), edit, signer)


def body_of(xml: bytes) -> dict[str, str]:
    declaration = b'<?xml version="1.0" encoding="UTF-8"?>'
    return {"dpsXmlGZipB64": b64encode(gzip.compress(declaration + xml)).decode()}


def id_in(xml: bytes) -> str:
    return at(etree.fromstring(xml), "infDPS").get("Id", "")


async def ask(
    simulator: Simulator, tls: ssl.SSLContext, method: str, path: str, **sent: Any
) -> httpx2.Response:
    async with httpx2.AsyncClient(base_url=simulator.url, verify=tls) as client:
        return await client.request(method, path, **sent)


class TestConversation:
    async def test_a_declaration_becomes_an_nfse_that_is_found_again(
        self, simulator: Simulator, tls: ssl.SSLContext, signer: Signer
    ) -> None:
        xml = declared(signer)
        async with httpx2.AsyncClient(base_url=simulator.url, verify=tls) as client:
            before = await client.head(f"{SEFIN}/dps/{id_in(xml)}")
            issued = await client.post(f"{SEFIN}/nfse", json=body_of(xml))
            after = await client.head(f"{SEFIN}/dps/{id_in(xml)}")
            consulted = await client.get(f"{SEFIN}/dps/{id_in(xml)}")
            again = await client.post(f"{SEFIN}/nfse", json=body_of(xml))
        assert (before.status_code, issued.status_code, after.status_code) == (404, 201, 200), issued.text
        assert consulted.json()["chaveAcesso"] == issued.json()["chaveAcesso"]
        assert again.json()["erros"][0]["Codigo"] == "E0014"
        note = gzip.decompress(b64decode(issued.json()["nfseXmlGZipB64"]))
        assert note.startswith(b'<?xml version="1.0" encoding="utf-8"?><NFSe')

    async def test_the_panel_serves_the_nfse(
        self, simulator: Simulator, tls: ssl.SSLContext, signer: Signer
    ) -> None:
        issued = await ask(simulator, tls, "POST", f"{SEFIN}/nfse", json=body_of(declared(signer)))
        key = issued.json()["chaveAcesso"]
        async with httpx2.AsyncClient(base_url=simulator.control_url) as client:
            document = await client.get(f"/documents/{key}.xml")
            journal = await client.get("/journal", params={"key": key})
            listed = await client.get("/documents")
        assert document.content.startswith(b"<NFSe")
        assert [entry["service"] for entry in journal.json()] == ["POST /nfse"]
        assert key in {entry["accessKey"] for entry in listed.json()}

    async def test_the_nfse_of_a_lost_answer_is_found_by_the_dps_id(
        self, simulator: Simulator, tls: ssl.SSLContext, signer: Signer
    ) -> None:
        xml = declared(signer, "AULA SIMULA:RESPOSTA_PERDIDA")
        with pytest.raises(httpx2.TransportError):
            await ask(simulator, tls, "POST", f"{SEFIN}/nfse", json=body_of(xml))
        consulted = await ask(simulator, tls, "GET", f"{SEFIN}/dps/{id_in(xml)}")
        assert consulted.status_code == 200

    async def test_the_municipal_agreements_are_served(
        self, simulator: Simulator, tls: ssl.SSLContext
    ) -> None:
        statuses = [
            (await ask(simulator, tls, "GET", f"{ADN}/{city}/convenio")).status_code
            for city in ("3509502", "4314902", "5300108")
        ]
        assert statuses == [200, 200, 404]


class TestCalendar:
    async def test_the_panel_changes_and_restores_a_rule_date(
        self, simulator: Simulator, tls: ssl.SSLContext, signer: Signer
    ) -> None:
        """PIS and COFINS are refused from the changed day on; a day in the future allows them."""
        declaration = declared(signer, name="normal")
        competence = at(etree.fromstring(declaration), "infDPS/dCompet").text
        async with httpx2.AsyncClient(base_url=simulator.control_url) as control:

            async def move(day: str | None) -> None:
                changes = {"calendar": {"nfsePisCofinsRefused": day}}
                (await control.patch("/controls", json=changes)).raise_for_status()

            try:
                await move(competence)
                refused = await ask(simulator, tls, "POST", f"{SEFIN}/nfse", json=body_of(declaration))
                await move("2999-01-01")
                issued = await ask(simulator, tls, "POST", f"{SEFIN}/nfse", json=body_of(declaration))
            finally:
                await move(None)
            shown = (await control.get("/controls")).json()
        assert [error["Codigo"] for error in refused.json()["erros"]] == ["E1530"]
        assert issued.status_code == 201, issued.text
        assert shown["calendar"] == {}


class TestHead:
    async def test_head_has_no_body_and_keeps_the_connection(
        self, simulator: Simulator, tls: ssl.SSLContext, signer: Signer
    ) -> None:
        xml = declared(signer)
        await ask(simulator, tls, "POST", f"{SEFIN}/nfse", json=body_of(xml))
        port = int(simulator.url.rpartition(":")[2])
        async with wire(port, tls) as client:
            for path, status in ((f"{SEFIN}/dps/{id_in(xml)}", 200), (f"{SEFIN}/nada", 404)):
                await client.send(get(path, method="HEAD"))
                assert (await client.answer(has_body=False)).status == status
            last = await client.ask(get(f"{SEFIN}/dps/{id_in(xml)}"))
        assert json.loads(last.body)["idDps"] == id_in(xml)

    async def test_head_has_no_body_when_the_authority_is_out(
        self, simulator: Simulator, tls: ssl.SSLContext
    ) -> None:
        async with httpx2.AsyncClient(base_url=simulator.control_url) as control:
            await control.patch("/controls", json={"outages": {"SEFIN": "108"}})
            answer = await ask(simulator, tls, "HEAD", f"{SEFIN}/dps/x")
            await control.patch("/controls", json={"outages": {"SEFIN": None}})
        assert (answer.status_code, answer.content) == (503, b"")


class TestClients:
    async def test_a_client_without_a_certificate_is_refused(self, simulator: Simulator) -> None:
        nobody = ssl.create_default_context(cafile=simulator.certificates.ca_file)
        with pytest.raises(httpx2.TransportError):
            await ask(simulator, nobody, "GET", f"{SEFIN}/dps/x")

    async def test_simultaneous_declarations_with_one_id_issue_one_nfse(
        self, simulator: Simulator, tls: ssl.SSLContext, signer: Signer
    ) -> None:
        xml = declared(signer)
        async with httpx2.AsyncClient(base_url=simulator.url, verify=tls) as client:
            sending = [client.post(f"{SEFIN}/nfse", json=body_of(xml)) for _ in range(8)]
            statuses = sorted(answer.status_code for answer in await asyncio.gather(*sending))
        assert statuses == [201, *[400] * 7]

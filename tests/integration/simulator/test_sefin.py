"""The Sefin Nacional of a running simulator, over TLS: what stands between client and judge."""

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

from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.sample_certificate import SampleCertificate
from carimbo.fiscal.signature import Signer
from carimbo.simulator.run import Simulator
from unit.simulator.mutating import at
from unit.simulator.nfse.declaring import base, mutated
from unit.simulator.wire import get, wire

SEFIN, ADN = "/sefin/nfse/SefinNacional", "/adn/nfse/parametrizacao"
_NUMBERS = count(1)


@pytest.fixture(scope="module")
def tls(simulator: Simulator, company_of_simulator: SampleCertificate, pfx_file: Path) -> ssl.SSLContext:
    """A client with a certificate that the simulator believes."""
    context = ssl.create_default_context(cafile=simulator.certificates.ca_file)
    file = pfx_file.with_suffix(".sefin.pem")
    file.write_bytes(company_of_simulator.to_pem())
    context.load_cert_chain(file)
    return context


@pytest.fixture(scope="module")
def signer(company_of_simulator: SampleCertificate) -> Signer:
    return Signer.of(A1Certificate.from_bundle(company_of_simulator.to_pem()))


def declared(signer: Signer, description: str = "DESENVOLVIMENTO DE SISTEMA", name: str = "simples") -> bytes:
    """A new declaration, of this moment."""
    now = datetime.now(UTC) - timedelta(hours=3)
    told = {
        "dhEmi": f"{now:%Y-%m-%dT%H:%M:%S}-03:00",
        "dCompet": f"{now:%Y-%m-%d}",
        "nDPS": str(1000 + next(_NUMBERS)),
        "serv/cServ/xDescServ": description,
    }

    def edit(root: etree._Element) -> None:
        for path, text in told.items():
            at(root, f"infDPS/{path}").text = text

    return mutated(base(name, signer), edit, signer)


def body_of(xml: bytes) -> dict[str, str]:
    declaration = b'<?xml version="1.0" encoding="UTF-8"?>'
    return {"dpsXmlGZipB64": b64encode(gzip.compress(declaration + xml)).decode()}


def id_in(xml: bytes) -> str:
    return at(etree.fromstring(xml), "infDPS").get("Id", "")


async def asked(
    simulator: Simulator, tls: ssl.SSLContext, method: str, path: str, **sent: Any
) -> httpx2.Response:
    async with httpx2.AsyncClient(base_url=simulator.url, verify=tls) as client:
        return await client.request(method, path, **sent)


class TestConversation:
    async def test_a_declaration_becomes_a_note_that_is_found_again(
        self, simulator: Simulator, tls: ssl.SSLContext, signer: Signer
    ) -> None:
        xml = declared(signer)
        async with httpx2.AsyncClient(base_url=simulator.url, verify=tls) as client:
            before = await client.head(f"{SEFIN}/dps/{id_in(xml)}")
            issued = await client.post(f"{SEFIN}/nfse", json=body_of(xml))
            after = await client.head(f"{SEFIN}/dps/{id_in(xml)}")
            found = await client.get(f"{SEFIN}/dps/{id_in(xml)}")
            again = await client.post(f"{SEFIN}/nfse", json=body_of(xml))
        assert (before.status_code, issued.status_code, after.status_code) == (404, 201, 200), issued.text
        assert found.json()["chaveAcesso"] == issued.json()["chaveAcesso"]
        assert again.json()["erros"][0]["Codigo"] == "E0014"
        note = gzip.decompress(b64decode(issued.json()["nfseXmlGZipB64"]))
        assert note.startswith(b'<?xml version="1.0" encoding="utf-8"?><NFSe')

    async def test_the_panel_hands_the_note_out(
        self, simulator: Simulator, tls: ssl.SSLContext, signer: Signer
    ) -> None:
        issued = await asked(simulator, tls, "POST", f"{SEFIN}/nfse", json=body_of(declared(signer)))
        key = issued.json()["chaveAcesso"]
        async with httpx2.AsyncClient(base_url=simulator.control_url) as client:
            document = await client.get(f"/documents/{key}.xml")
            journal = await client.get("/journal", params={"key": key})
            listed = await client.get("/documents")
        assert document.content.startswith(b"<NFSe")
        assert [one["service"] for one in journal.json()] == ["POST /nfse"]
        assert key in {one["accessKey"] for one in listed.json()}

    async def test_a_lost_answer_is_settled_by_the_id(
        self, simulator: Simulator, tls: ssl.SSLContext, signer: Signer
    ) -> None:
        xml = declared(signer, "AULA SIMULA:RESPOSTA_PERDIDA")
        with pytest.raises(httpx2.TransportError):
            await asked(simulator, tls, "POST", f"{SEFIN}/nfse", json=body_of(xml))
        found = await asked(simulator, tls, "GET", f"{SEFIN}/dps/{id_in(xml)}")
        assert found.status_code == 200

    async def test_cities_are_told_by_the_data_environment(
        self, simulator: Simulator, tls: ssl.SSLContext
    ) -> None:
        statuses = [
            (await asked(simulator, tls, "GET", f"{ADN}/{city}/convenio")).status_code
            for city in ("3509502", "4314902", "5300108")
        ]
        assert statuses == [200, 200, 404]


class TestCalendar:
    async def test_the_panel_moves_a_date_and_puts_it_back(
        self, simulator: Simulator, tls: ssl.SSLContext, signer: Signer
    ) -> None:
        """PIS and COFINS are refused since the moved day; a day that has not come lets them pass."""
        declaration = declared(signer, name="normal")
        competence = at(etree.fromstring(declaration), "infDPS/dCompet").text
        async with httpx2.AsyncClient(base_url=simulator.control_url) as control:

            async def move(day: str | None) -> None:
                changes = {"calendar": {"nfsePisCofinsRefused": day}}
                (await control.patch("/controls", json=changes)).raise_for_status()

            try:
                await move(competence)
                refused = await asked(simulator, tls, "POST", f"{SEFIN}/nfse", json=body_of(declaration))
                await move("2999-01-01")
                issued = await asked(simulator, tls, "POST", f"{SEFIN}/nfse", json=body_of(declaration))
            finally:
                await move(None)
            shown = (await control.get("/controls")).json()
        assert [one["Codigo"] for one in refused.json()["erros"]] == ["E1530"]
        assert issued.status_code == 201, issued.text
        assert shown["calendar"] == {}


class TestHead:
    async def test_has_no_body_and_the_connection_goes_on(
        self, simulator: Simulator, tls: ssl.SSLContext, signer: Signer
    ) -> None:
        xml = declared(signer)
        await asked(simulator, tls, "POST", f"{SEFIN}/nfse", json=body_of(xml))
        port = int(simulator.url.rpartition(":")[2])
        async with wire(port, tls) as client:
            for path, status in ((f"{SEFIN}/dps/{id_in(xml)}", 200), (f"{SEFIN}/nada", 404)):
                await client.send(get(path, method="HEAD"))
                assert (await client.answer(has_body=False)).status == status
            last = await client.ask(get(f"{SEFIN}/dps/{id_in(xml)}"))
        assert json.loads(last.body)["idDps"] == id_in(xml)

    async def test_says_nothing_of_an_authority_that_is_out(
        self, simulator: Simulator, tls: ssl.SSLContext
    ) -> None:
        async with httpx2.AsyncClient(base_url=simulator.control_url) as control:
            await control.patch("/controls", json={"outages": {"SEFIN": "108"}})
            answer = await asked(simulator, tls, "HEAD", f"{SEFIN}/dps/x")
            await control.patch("/controls", json={"outages": {"SEFIN": None}})
        assert (answer.status_code, answer.content) == (503, b"")


class TestStranger:
    async def test_without_a_certificate_does_not_get_in(self, simulator: Simulator) -> None:
        nobody = ssl.create_default_context(cafile=simulator.certificates.ca_file)
        with pytest.raises(httpx2.TransportError):
            await asked(simulator, nobody, "GET", f"{SEFIN}/dps/x")

    async def test_may_send_many_at_once(
        self, simulator: Simulator, tls: ssl.SSLContext, signer: Signer
    ) -> None:
        xml = declared(signer)
        async with httpx2.AsyncClient(base_url=simulator.url, verify=tls) as client:
            sending = [client.post(f"{SEFIN}/nfse", json=body_of(xml)) for _ in range(8)]
            statuses = sorted(one.status_code for one in await asyncio.gather(*sending))
        assert statuses == [201, *[400] * 7]

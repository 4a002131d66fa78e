"""A simulator that is stopped or killed and started again on the same folder keeps its state."""

import asyncio
import os
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest

from carimbo.authorities.nfe import NfeSefaz
from carimbo.fiscal.distribution import DistributionPage
from carimbo.fiscal.emission import Emission
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.certificate import A1Certificate, AuthorityCredentials
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.soap import envelope
from carimbo.fiscal.outcome import Authorized, Canceled, Duplicate, Outcome, Processing
from carimbo.fiscal.sample_certificate import SampleCertificate
from carimbo.fiscal.signed_documents import SignedDocument
from carimbo.settings import load_settings
from carimbo.simulator.controls import Controls
from carimbo.simulator.program.certificates import CertificateFolder
from carimbo.simulator.program.journal import JournalEntry
from carimbo.simulator.program.run import running
from integration.simulator.shop import STATE, Shop, next_emission, sefaz_of
from nfe_dialect import authorization_lot, read_authorization
from support import CNPJ, free_port
from unit.fiscal.goods.support import BUYER_CNPJ, CONTRIBUTOR, issued_nfe

CORRECTION = "O volume correto e de duas caixas"
LOTS = "NFeAutorizacao4"
Protocols = set[tuple[str | None, str]]
"""Pairs of access key and protocol."""


@dataclass(frozen=True)
class Folder:
    """The data folder of a simulator, with certificates that it trusts."""

    path: Path
    company: SampleCertificate
    buyer: SampleCertificate

    @classmethod
    def created(cls, path: Path) -> "Folder":
        now = datetime.now(UTC)
        certificates = CertificateFolder.open(path, now)
        company = certificates.issue(CNPJ, "LOJA MODELO LTDA", now)
        return cls(path, company, certificates.issue(BUYER_CNPJ, "COMPRADORA LTDA", now))

    @property
    def ca_file(self) -> Path:
        return CertificateFolder.open(self.path, datetime.now(UTC)).ca_file

    @asynccontextmanager
    async def sefaz(self, url: str) -> AsyncIterator[NfeSefaz]:
        """Yields a new client."""
        environment = {"CARIMBO_SIMULATOR_URL": url, "CARIMBO_AUTHORITY_CA_FILE": str(self.ca_file)}
        async with sefaz_of(load_settings(environment, needs_database=False)) as sefaz:
            yield sefaz

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Shop]:
        """Runs the simulator for the length of a block and yields a shop."""
        async with running(self.path) as simulator, self.sefaz(simulator.url) as sefaz:
            yield Shop(sefaz, simulator, A1Certificate.from_bundle(self.company.to_pem()))


@dataclass(frozen=True)
class OwnProcess:
    """A running `carimbo simulator`."""

    url: str
    popen: subprocess.Popen[str]

    def kill(self) -> None:
        """Kills it, without any cleanup."""
        self.popen.kill()


@contextmanager
def own_process(folder: Folder) -> Iterator[OwnProcess]:
    """Runs the simulator as a separate process, which is killed at the end."""
    port = str(free_port())
    options = ["--port", port, "--control-port", str(free_port()), "--data-dir", str(folder.path)]
    process = subprocess.Popen(
        [sys.executable, "-m", "carimbo", "simulator", *options],
        env={name: value for name, value in os.environ.items() if not name.startswith("CARIMBO_")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            assert process.stdout
            lines = [process.stdout.readline() for _ in range(5)]
            assert lines[-1].startswith("Certificado"), lines
            yield OwnProcess(f"https://localhost:{port}", process)
        finally:
            process.kill()


@dataclass(frozen=True)
class Kept:
    """An authorized document with its protocol."""

    document: SignedDocument
    protocol: str

    @property
    def access_key(self) -> str:
        return self.document.access_key


@dataclass(frozen=True, kw_only=True)
class Before:
    """The documents and events from before the stop, with their protocols."""

    issued: Kept
    canceled: Kept
    cancellation: str
    corrected: Kept
    correction: str
    sold: Kept
    page: DistributionPage
    inutilized: Emission
    inutilization: str
    lot: tuple[SignedDocument, ...]
    receipt: str
    controls: Controls
    journal: list[JournalEntry]

    @property
    def protocols(self) -> list[str]:
        documents = (self.issued, self.canceled, self.corrected, self.sold)
        others = (self.cancellation, self.correction, self.inutilization)
        return [*(document.protocol for document in documents), *others]


def authorized(outcome: Outcome) -> Authorized:
    assert isinstance(outcome, Authorized), outcome
    return outcome


async def receipt_of(shop: Shop, folder: Folder, documents: tuple[SignedDocument, ...]) -> str:
    """Sends a lot of several documents, as our client never does, and returns the receipt."""
    file = folder.path.with_suffix(".pem")
    file.write_bytes(folder.company.to_pem())
    tls = ssl.create_default_context(cafile=folder.ca_file)
    tls.load_cert_chain(file)
    lot = authorization_lot(1, [document.xml for document in documents])
    body = envelope(f"http://www.portalfiscal.inf.br/nfe/wsdl/{LOTS}", lot, "nfeDadosMsg")
    async with httpx2.AsyncClient(base_url=shop.simulator.url, verify=tls) as client:
        answer = await client.post(f"/sp/nfe/{LOTS}", content=body)
    taken = read_authorization(answer.content)
    assert isinstance(taken, Processing), answer.text
    return taken.receipt


def buyer_of(shop: Shop, folder: Folder) -> AuthorityCredentials:
    return replace(
        shop.sender, certificate=A1Certificate.from_bundle(folder.buyer.to_pem()), tax_id=BUYER_CNPJ
    )


async def page_after(shop: Shop, folder: Folder, nsu: int) -> DistributionPage:
    page = await shop.sefaz.distribution(buyer_of(shop, folder), STATE, nsu)
    assert isinstance(page, DistributionPage), page
    return page


async def kept(shop: Shop, **changes: Any) -> Kept:
    document = shop.nfe(**changes)
    return Kept(document, (await shop.issue(document)).protocol)


async def everything_done(shop: Shop, folder: Folder) -> Before:
    """Creates every kind of stored state."""
    await shop.switch(lotSeconds=0, seed=7, outages={"BA": "109"})
    canceled, corrected = await kept(shop), await kept(shop)
    inutilized, lot = next_emission(), (shop.nfe(), shop.nfe())
    return Before(
        issued=await kept(shop),
        canceled=canceled,
        cancellation=authorized(await shop.cancel(canceled.document, canceled.protocol)).protocol,
        corrected=corrected,
        correction=authorized(await shop.correct(corrected.document, CORRECTION)).protocol,
        sold=await kept(shop, recipient=CONTRIBUTOR),
        page=await page_after(shop, folder, 0),
        inutilized=inutilized,
        inutilization=authorized(await shop.inutilize(inutilized.number, inutilized.number)).protocol,
        lot=lot,
        receipt=await receipt_of(shop, folder, lot),
        controls=shop.simulator.site.switches.read(),
        journal=shop.simulator.site.journal.entries(),
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return Folder.created(tmp_path_factory.mktemp("restart") / "simulator")


@pytest.fixture(scope="module")
async def before(folder: Folder) -> Before:
    async with folder.opened() as shop:
        return await everything_done(shop, folder)


@pytest.fixture(scope="module")
async def shop(folder: Folder, before: Before) -> AsyncIterator[Shop]:
    """The same company after the restart of the simulator."""
    async with folder.opened() as shop:
        yield shop


class TestStopped:
    def test_the_switches_are_kept(self, shop: Shop, before: Before) -> None:
        assert shop.simulator.site.switches.read() == before.controls
        assert (before.controls.seed, before.controls.outages) == (7, {"BA": "109"})

    async def test_the_journal_continues(self, shop: Shop, before: Before) -> None:
        await shop.issue(document := shop.nfe())
        *earlier, last = shop.simulator.site.journal.entries(after=0)
        assert earlier[: len(before.journal)] == before.journal
        assert [entry.code for entry in before.journal] == [
            "100",
            "100",
            "100",
            "135",
            "135",
            "100",
            "138",
            "102",
            "103",
        ]
        assert (last.subject, last.id > before.journal[-1].id) == (document.access_key, True)

    async def test_an_authorized_document_is_found(self, shop: Shop, before: Before) -> None:
        consulted = authorized(await shop.sefaz.consult(shop.sender, before.issued.access_key))
        assert consulted.protocol == before.issued.protocol
        assert consulted.digest == before.issued.document.digest_value

    async def test_a_document_sent_again_is_a_duplicate(self, shop: Shop, before: Before) -> None:
        again = await shop.sefaz.send(shop.sender, before.issued.document)
        assert isinstance(again, Duplicate)
        assert (again.code, again.protocol) == ("204", before.issued.protocol)

    async def test_a_canceled_document_stays_canceled(self, shop: Shop, before: Before) -> None:
        consulted = await shop.sefaz.consult(shop.sender, before.canceled.access_key)
        assert isinstance(consulted, Canceled)
        assert consulted.protocol == before.cancellation

    async def test_a_correction_is_not_registered_twice(self, shop: Shop, before: Before) -> None:
        again = await shop.correct(before.corrected.document, CORRECTION)
        assert isinstance(again, Duplicate)
        assert (again.code, again.protocol) == ("573", before.correction)
        assert authorized(await shop.correct(before.corrected.document, CORRECTION, sequence=2))

    async def test_an_inutilized_number_stays_inutilized(self, shop: Shop, before: Before) -> None:
        refused = await shop.sefaz.send(shop.sender, shop.nfe(under=before.inutilized))
        assert getattr(refused, "code", None) == "206"
        again = await shop.inutilize(before.inutilized.number, before.inutilized.number)
        assert isinstance(again, Duplicate)
        assert (again.code, again.protocol) == ("563", before.inutilization)

    async def test_documents_of_a_lot_are_found_by_its_receipt(self, shop: Shop, before: Before) -> None:
        for document in before.lot:
            key = document.access_key
            judged = authorized(await shop.sefaz.receipt(shop.sender, key, before.receipt))
            assert (judged.access_key, judged.digest) == (key, document.digest_value)

    async def test_the_nsu_sequence_of_a_recipient_continues(
        self, shop: Shop, before: Before, folder: Folder
    ) -> None:
        other = await kept(shop, recipient=CONTRIBUTOR)
        # The page before the stop was the last one: its reader must wait for an hour.
        await shop.switch(clockOffsetSeconds=3600)
        page = await page_after(shop, folder, before.page.last_nsu)
        await shop.switch(clockOffsetSeconds=None)
        [first], [second] = before.page.documents, page.documents
        assert (first.nsu, second.nsu, page.max_nsu) == (1, 2, 2)
        assert before.sold.access_key.encode() in (next(before.page.contents()) or b"")
        assert other.access_key.encode() in (next(page.contents()) or b"")

    async def test_protocols_and_receipts_never_repeat(
        self, shop: Shop, before: Before, folder: Folder
    ) -> None:
        redeemed = [
            authorized(await shop.sefaz.receipt(shop.sender, document.access_key, before.receipt)).protocol
            for document in before.lot
        ]
        protocols = [*before.protocols, *redeemed, (await kept(shop)).protocol]
        assert len(set(protocols)) == len(protocols)
        assert max(protocols) == protocols[-1]
        assert await receipt_of(shop, folder, (shop.nfe(), shop.nfe())) > before.receipt


class TestKilled:
    async def test_answered_documents_are_found_and_the_others_can_be_sent_again(
        self, tmp_path: Path
    ) -> None:
        folder = Folder.created(tmp_path / "simulator")
        certificate = A1Certificate.from_bundle(folder.company.to_pem())
        sender = AuthorityCredentials(certificate, CNPJ, Environment.HOMOLOGATION)
        documents = [new_document(certificate) for _ in range(8)]
        with own_process(folder) as process:
            answered = await sent_until_killed(process, folder, sender, documents)
        async with folder.opened() as shop:
            answers = [await shop.sefaz.consult(sender, document.access_key) for document in documents]
            unknown = [
                document for document, answer in zip(documents, answers, strict=True) if answer.code == "217"
            ]
            sent = [authorized(await shop.sefaz.send(sender, document)).protocol for document in unknown]
        authorized_protocols = protocols_in(answers)
        assert answered
        assert answered <= authorized_protocols
        assert len({*sent, *(protocol for _, protocol in authorized_protocols)}) == len(documents)


async def sent_until_killed(
    process: OwnProcess, folder: Folder, sender: AuthorityCredentials, documents: list[SignedDocument]
) -> Protocols:
    """Sends all documents at once to a simulator that is killed at the first answer."""
    async with folder.sefaz(process.url) as sefaz:
        sending = [asyncio.create_task(sefaz.send(sender, document)) for document in documents]
        await asyncio.wait(sending, return_when=asyncio.FIRST_COMPLETED)
        process.kill()
        return protocols_in(await asyncio.gather(*sending))


def protocols_in(outcomes: Iterable[Outcome]) -> Protocols:
    return {(outcome.access_key, outcome.protocol) for outcome in outcomes if isinstance(outcome, Authorized)}


def new_document(certificate: A1Certificate) -> SignedDocument:
    signed = issued_nfe(Signer.of(certificate), under=next_emission())
    assert isinstance(signed, SignedDocument), signed
    return signed

"""Certificates are opened in a process of their own, which may fail without taking anything along."""

import asyncio
import base64
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil  # type: ignore[import-untyped]
import pytest

from carimbo.fiscal.sample_certificate import SampleCertificate
from carimbo.service import certificate_opener
from carimbo.service.certificate_opener import CertificateOpener
from carimbo.service.errors import Code, Refusal
from support import CNPJ

OWNER, OTHER_OWNER = uuid4(), uuid4()
BAD_FILES = 6
# A PKCS#12 shell: version 3, then a salt with 1,000,000 iterations.
EXPENSIVE = bytes.fromhex("300d 020103 3008 0401aa 02030f4240")


def openers() -> list[psutil.Process]:
    """The child processes that open a certificate right now."""
    found = []
    for child in psutil.Process().children():
        with suppress(psutil.NoSuchProcess):
            if "carimbo.service.certificate_process" in child.cmdline():
                found.append(child)
    return found


async def the_opener() -> psutil.Process:
    async with asyncio.timeout(60):
        while not (found := openers()):  # noqa: ASYNC110 - a process tells nobody that it began
            await asyncio.sleep(0.005)
    return found[0]


class TestOpen:
    async def test_gives_back_the_certificate(
        self, company_certificate: SampleCertificate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The process imports nothing of the working directory, and gets nothing of our environment."""
        (tmp_path / "base64.py").write_text("raise SystemExit('imported from the working directory')")
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("CARIMBO_SECRET_KEYS", "k1:secret")
        pfx = company_certificate.to_pfx("çã")
        opening = asyncio.create_task(CertificateOpener(60).open(pfx, "çã", OWNER))
        child = await the_opener()
        assert "CARIMBO_SECRET_KEYS" not in child.environ()
        assert os.getpgid(child.pid) != os.getpgid(os.getpid())
        assert (await opening).owner == CNPJ
        assert openers() == []

    async def test_that_takes_too_long_is_stopped(self, company_certificate: SampleCertificate) -> None:
        with pytest.raises(Refusal) as refused:
            await CertificateOpener(0.001).open(company_certificate.to_pfx("x"), "x", OWNER)
        assert refused.value.code is Code.CERTIFICATE_INVALID
        assert openers() == []

    async def test_that_is_slower_than_it_looks_is_opened_among_the_expensive_ones(
        self, company_certificate: SampleCertificate, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(certificate_opener, "_ORDINARY_SECONDS", 0.001)
        opened = await CertificateOpener(60).open(company_certificate.to_pfx("x"), "x", OWNER)
        assert opened.owner == CNPJ

    async def test_that_is_cancelled_leaves_no_process(self, company_certificate: SampleCertificate) -> None:
        opening = asyncio.create_task(CertificateOpener(60).open(company_certificate.to_pfx("x"), "x", OWNER))
        await the_opener()
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        assert openers() == []

    async def test_whose_process_dies_is_a_refusal(self, company_certificate: SampleCertificate) -> None:
        opening = asyncio.create_task(CertificateOpener(60).open(company_certificate.to_pfx("x"), "x", OWNER))
        (await the_opener()).send_signal(signal.SIGKILL)
        with pytest.raises(Refusal) as refused:
            await opening
        assert refused.value.code is Code.CERTIFICATE_INVALID


class TestManyBadFiles:
    async def test_of_one_subscription_do_not_delay_another(
        self, company_certificate: SampleCertificate
    ) -> None:
        opener, pfx = CertificateOpener(60), company_certificate.to_pfx("x")
        bad = [asyncio.create_task(opener.open(pfx, "wrong", OWNER)) for _ in range(BAD_FILES)]
        try:
            # The first one takes as long as it may.
            (await the_opener()).suspend()
            opened = await opener.open(pfx, "x", OTHER_OWNER)
            finished = [task for task in bad if task.done()]
        finally:
            for task in bad:
                task.cancel()
            await asyncio.gather(*bad, return_exceptions=True)
        assert (opened.owner, finished) == (CNPJ, [])
        assert openers() == []

    async def test_that_are_expensive_never_delay_an_ordinary_one(
        self, company_certificate: SampleCertificate, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        opener, ask = CertificateOpener(60), CertificateOpener._ask

        async def stall(self: CertificateOpener, request: bytes, *limits: float) -> dict[str, Any]:
            if base64.b64encode(EXPENSIVE) in request:
                await asyncio.Event().wait()
            return await ask(self, request, *limits)

        monkeypatch.setattr(CertificateOpener, "_ask", stall)
        bad = [asyncio.create_task(opener.open(EXPENSIVE, "x", uuid4())) for _ in range(BAD_FILES)]
        try:
            async with asyncio.timeout(60):
                while len(opener._locks) < BAD_FILES:  # noqa: ASYNC110 - a lock tells nobody that it is taken
                    await asyncio.sleep(0)
                opened = await opener.open(company_certificate.to_pfx("x"), "x", OWNER)
        finally:
            for task in bad:
                task.cancel()
            await asyncio.gather(*bad, return_exceptions=True)
        assert opened.owner == CNPJ

"""Certificates are opened in a separate process, whose failure harms nothing else."""

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
from carimbo.service.companies import certificates
from carimbo.service.companies.certificates import CertificateOpener
from carimbo.service.errors import ErrorCode, Refusal
from support import CNPJ

OWNER, OTHER_OWNER = uuid4(), uuid4()
BAD_FILES = 6
# A PKCS#12 shell: version 3, then a salt with 1,000,000 iterations.
EXPENSIVE = bytes.fromhex("300d 020103 3008 0401aa 02030f4240")


def openers() -> list[psutil.Process]:
    """Returns the child processes that are opening a certificate."""
    processes = []
    for child in psutil.Process().children():
        with suppress(psutil.NoSuchProcess):
            if "carimbo.service.companies.certificate_process" in child.cmdline():
                processes.append(child)
    return processes


async def first_opener() -> psutil.Process:
    async with asyncio.timeout(60):
        while not (processes := openers()):  # noqa: ASYNC110 - a starting process has no event
            await asyncio.sleep(0.005)
    return processes[0]


class TestOpen:
    async def test_opening_returns_the_certificate(
        self, company_certificate: SampleCertificate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The process imports nothing from the working directory, and does not get our environment."""
        (tmp_path / "base64.py").write_text("raise SystemExit('imported from the working directory')")
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("CARIMBO_SECRET_KEYS", "k1:secret")
        pfx = company_certificate.to_pfx("çã")
        opening = asyncio.create_task(CertificateOpener(60).open(pfx, "çã", OWNER))
        child = await first_opener()
        assert "CARIMBO_SECRET_KEYS" not in child.environ()
        assert os.getpgid(child.pid) != os.getpgid(os.getpid())
        assert (await opening).owner == CNPJ
        assert openers() == []

    async def test_opening_that_takes_too_long_is_stopped(
        self, company_certificate: SampleCertificate
    ) -> None:
        with pytest.raises(Refusal) as refused:
            await CertificateOpener(0.001).open(company_certificate.to_pfx("x"), "x", OWNER)
        assert refused.value.code is ErrorCode.CERTIFICATE_INVALID
        assert openers() == []

    async def test_a_slow_certificate_is_opened_again_among_the_expensive_ones(
        self, company_certificate: SampleCertificate, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(certificates, "_ORDINARY_SECONDS", 0.001)
        opened = await CertificateOpener(60).open(company_certificate.to_pfx("x"), "x", OWNER)
        assert opened.owner == CNPJ

    async def test_cancelled_opening_leaves_no_process(self, company_certificate: SampleCertificate) -> None:
        opening = asyncio.create_task(CertificateOpener(60).open(company_certificate.to_pfx("x"), "x", OWNER))
        await first_opener()
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        assert openers() == []

    async def test_a_process_that_dies_is_a_refusal(self, company_certificate: SampleCertificate) -> None:
        opening = asyncio.create_task(CertificateOpener(60).open(company_certificate.to_pfx("x"), "x", OWNER))
        (await first_opener()).send_signal(signal.SIGKILL)
        with pytest.raises(Refusal) as refused:
            await opening
        assert refused.value.code is ErrorCode.CERTIFICATE_INVALID


class TestManyBadFiles:
    async def test_bad_files_of_one_subscription_do_not_delay_another(
        self, company_certificate: SampleCertificate
    ) -> None:
        opener, pfx = CertificateOpener(60), company_certificate.to_pfx("x")
        bad = [asyncio.create_task(opener.open(pfx, "wrong", OWNER)) for _ in range(BAD_FILES)]
        try:
            # The first one takes the maximum time.
            (await first_opener()).suspend()
            opened = await opener.open(pfx, "x", OTHER_OWNER)
            finished = [task for task in bad if task.done()]
        finally:
            for task in bad:
                task.cancel()
            await asyncio.gather(*bad, return_exceptions=True)
        assert (opened.owner, finished) == (CNPJ, [])
        assert openers() == []

    async def test_expensive_files_never_delay_an_ordinary_one(
        self, company_certificate: SampleCertificate, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        opener, ask = CertificateOpener(60), CertificateOpener._run

        async def stall(self: CertificateOpener, request: bytes, *limits: float) -> dict[str, Any]:
            if base64.b64encode(EXPENSIVE) in request:
                await asyncio.Event().wait()
            return await ask(self, request, *limits)

        monkeypatch.setattr(CertificateOpener, "_run", stall)
        bad = [asyncio.create_task(opener.open(EXPENSIVE, "x", uuid4())) for _ in range(BAD_FILES)]
        try:
            async with asyncio.timeout(60):
                while len(opener._locks) < BAD_FILES:  # noqa: ASYNC110 - a lock has no event
                    await asyncio.sleep(0)
                opened = await opener.open(company_certificate.to_pfx("x"), "x", OWNER)
        finally:
            for task in bad:
                task.cancel()
            await asyncio.gather(*bad, return_exceptions=True)
        assert opened.owner == CNPJ

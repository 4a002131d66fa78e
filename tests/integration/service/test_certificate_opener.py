"""Certificates are opened in a process of their own, which may fail without taking anything along."""

import asyncio
import os
import signal
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import psutil  # type: ignore[import-untyped]
import pytest

from carimbo.fiscal.sample_certificate import SampleCertificate
from carimbo.service.certificate_opener import CertificateOpener
from carimbo.service.errors import Code, Refusal
from support import CNPJ

OWNER, OTHER_OWNER = uuid4(), uuid4()
BAD_FILES = 6


def openers() -> list[psutil.Process]:
    """The child processes that open a certificate right now."""
    found = []
    for child in psutil.Process().children():
        with suppress(psutil.NoSuchProcess):
            if "carimbo.service.certificate_opener" in child.cmdline():
                found.append(child)
    return found


async def the_opener() -> psutil.Process:
    async with asyncio.timeout(10):
        while not (found := openers()):  # noqa: ASYNC110 - a process tells nobody that it began
            await asyncio.sleep(0.005)
    return found[0]


class TestOpen:
    async def test_gives_back_the_certificate(self, company_certificate: SampleCertificate) -> None:
        opened = await CertificateOpener(30).open(company_certificate.to_pfx("çã"), "çã", OWNER)
        assert opened.owner == CNPJ
        assert openers() == []

    async def test_imports_nothing_from_the_working_directory(
        self, company_certificate: SampleCertificate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "base64.py").write_text("raise SystemExit('imported from the working directory')")
        monkeypatch.chdir(tmp_path)
        opened = await CertificateOpener(30).open(company_certificate.to_pfx("x"), "x", OWNER)
        assert opened.owner == CNPJ

    async def test_gives_the_child_nothing_of_our_environment(
        self, company_certificate: SampleCertificate, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CARIMBO_SECRET_KEYS", "k1:secret")
        opening = asyncio.create_task(CertificateOpener(30).open(company_certificate.to_pfx("x"), "x", OWNER))
        child = await the_opener()
        assert "CARIMBO_SECRET_KEYS" not in child.environ()
        assert os.getpgid(child.pid) != os.getpgid(os.getpid())
        await opening

    async def test_that_takes_too_long_is_stopped(self, company_certificate: SampleCertificate) -> None:
        with pytest.raises(Refusal) as refused:
            await CertificateOpener(0.001).open(company_certificate.to_pfx("x"), "x", OWNER)
        assert refused.value.code is Code.CERTIFICATE_INVALID
        assert openers() == []

    async def test_that_is_cancelled_leaves_no_process(self, company_certificate: SampleCertificate) -> None:
        opening = asyncio.create_task(CertificateOpener(30).open(company_certificate.to_pfx("x"), "x", OWNER))
        await the_opener()
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        assert openers() == []

    async def test_whose_process_dies_is_a_refusal(self, company_certificate: SampleCertificate) -> None:
        opening = asyncio.create_task(CertificateOpener(30).open(company_certificate.to_pfx("x"), "x", OWNER))
        (await the_opener()).send_signal(signal.SIGKILL)
        with pytest.raises(Refusal) as refused:
            await opening
        assert refused.value.code is Code.CERTIFICATE_INVALID


class TestManyBadFiles:
    async def test_of_one_subscription_do_not_delay_another(
        self, company_certificate: SampleCertificate
    ) -> None:
        opener, pfx = CertificateOpener(30), company_certificate.to_pfx("x")
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

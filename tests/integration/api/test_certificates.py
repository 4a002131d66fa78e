"""The A1 certificate of a company: each wrong file has its own code.

A process that opens a file takes most of a second: only the first class starts some. The tests of the service
cover such processes.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
import pytest

from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from carimbo.service.companies import certificate_process
from carimbo.service.companies.certificates import CertificateOpener
from carimbo.storage.database import Database
from support import CNPJ, OTHER_CNPJ, Caller, code_of, data_of, fields_of

PASSWORD = "sénha-do-arquivo"
DATA = Path(__file__).parents[2] / "data"
DAY = timedelta(days=1)
Pause = Callable[[], Awaitable[Any]]


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Opens files with the same code, but without a process for each."""

    async def ask(_self: CertificateOpener, request: bytes, _seconds: float) -> dict[str, str]:
        return certificate_process.answer_to(json.loads(request))

    monkeypatch.setattr(CertificateOpener, "_run", ask)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, company_certificate: SampleCertificate) -> list[Pause]:
    """Accepts every file as the company's certificate; the next uploads wait for the pauses in this list."""
    certificate = A1Certificate.from_bundle(company_certificate.to_pem())
    pauses: list[Pause] = []

    async def open_(*_: object) -> A1Certificate:
        if pauses:
            await pauses.pop(0)()
        return certificate

    monkeypatch.setattr(CertificateOpener, "open", open_)
    return pauses


async def upload(caller: Caller, company_id: str, pfx: bytes, password: str = PASSWORD) -> httpx2.Response:
    return await caller.http.post(
        f"/v1/companies/{company_id}/certificate",
        files={"file": ("empresa.pfx", pfx, "application/x-pkcs12")},
        data={"password": password},
    )


class TestUploadByAProcess:
    async def test_upload_answers_with_the_dates_and_encrypts_the_key(
        self, caller: Caller, company_certificate: SampleCertificate, database: Database
    ) -> None:
        company_id = await caller.create_company()
        record = data_of(await upload(caller, company_id, company_certificate.to_pfx(PASSWORD)))
        expected = company_certificate.certificate.not_valid_after_utc
        assert record["companyId"] == company_id
        assert datetime.fromisoformat(record["certificate"]["expiresAt"]) == expected
        assert datetime.fromisoformat(record["certificate"]["uploadedAt"]) <= datetime.now(UTC)
        assert record["certificate"]["taxId"] == CNPJ
        assert data_of(await caller.http.get(f"/v1/companies/{company_id}/certificate")) == record
        async with database.tenant(caller.subscription_id) as tenant:
            bundle = await tenant.secrets.get(UUID(company_id), "certificate")
            sealed = await tenant.connection.fetchval(
                "select sealed from secrets where subscription_id = $1", caller.subscription_id
            )
        assert bundle is not None
        assert A1Certificate.from_bundle(bundle).owner == CNPJ
        assert b"PRIVATE KEY" not in sealed

    async def test_file_of_an_old_program_is_accepted(self, caller: Caller) -> None:
        """RC2 with 40 bits needs a part of OpenSSL that is loaded on demand."""
        company_id = await caller.create_company()
        data_of(await upload(caller, company_id, (DATA / "a1_rc2_40.pfx").read_bytes(), "segredo"))


@pytest.mark.usefixtures("in_this_process")
class TestUpload:
    async def test_old_renewed_and_passwordless_files_are_accepted(
        self, caller: Caller, company_certificate: SampleCertificate, authority: SampleAuthority
    ) -> None:
        company_id, now = await caller.create_company(), datetime.now(UTC)
        old = data_of(await upload(caller, company_id, company_certificate.to_pfx(PASSWORD, legacy=True)))
        data_of(await upload(caller, company_id, (DATA / "a1_empty_password.pfx").read_bytes(), ""))
        renewed = authority.issue_company(CNPJ, "LOJA MODELO LTDA", now, now + 365 * DAY)
        new = data_of(await upload(caller, company_id, renewed.to_pfx(PASSWORD)))
        assert new["certificate"]["serialNumber"] != old["certificate"]["serialNumber"]
        assert data_of(await caller.http.get(f"/v1/companies/{company_id}/certificate")) == new

    async def test_certificate_of_another_branch_is_accepted(
        self, caller: Caller, company_certificate: SampleCertificate
    ) -> None:
        branch = await caller.create_company("11222333000262")
        data_of(await upload(caller, branch, company_certificate.to_pfx(PASSWORD)))

    async def test_certificate_of_a_cnpj_with_letters_is_accepted(
        self, caller: Caller, authority: SampleAuthority
    ) -> None:
        now = datetime.now(UTC)
        issued = authority.issue_company(OTHER_CNPJ, "ALFA LTDA", now, now + 365 * DAY)
        company_id = await caller.create_company(OTHER_CNPJ)
        record = data_of(await upload(caller, company_id, issued.to_pfx(PASSWORD)))
        assert record["certificate"]["taxId"] == OTHER_CNPJ


@pytest.mark.usefixtures("in_this_process")
class TestRefusal:
    async def refusal(
        self, caller: Caller, pfx: bytes, password: str = PASSWORD
    ) -> tuple[tuple[int, str, int], Any]:
        """Uploads a wrong file; returns how it is refused, and the details.

        How: the status and the code, and the status of the certificate's own page afterwards.
        """
        company_id = await caller.create_company()
        answer = await upload(caller, company_id, pfx, password)
        page = await caller.http.get(f"/v1/companies/{company_id}/certificate")
        await caller.http.delete(f"/v1/companies/{company_id}")
        how = (answer.status_code, code_of(answer), page.status_code)
        return how, answer.json()["error"]["details"]

    async def test_file_that_cannot_be_opened_is_refused(
        self, caller: Caller, company_certificate: SampleCertificate
    ) -> None:
        pfx = company_certificate.to_pfx(PASSWORD)
        files = {
            "empty": b"",
            "text": b"garbage",
            "nested": b"\x30\x80" * 1000,
            "large": b"\x00" * 2_000_000,
            "truncated": pfx[: len(pfx) // 2],
        }
        wrong = {name: (await self.refusal(caller, file))[0] for name, file in files.items()}
        assert wrong == dict.fromkeys(files, (422, "CERTIFICATE_INVALID", 404))
        how, _ = await self.refusal(caller, pfx, "outra")
        assert how == (422, "CERTIFICATE_PASSWORD_INVALID", 404)

    async def test_expired_certificate_is_refused(self, caller: Caller, authority: SampleAuthority) -> None:
        now = datetime.now(UTC)
        expired = authority.issue_company(CNPJ, "LOJA", now - 400 * DAY, now - DAY)
        how, details = await self.refusal(caller, expired.to_pfx(PASSWORD))
        assert how == (422, "CERTIFICATE_EXPIRED", 404)
        assert datetime.fromisoformat(details["expiresAt"]) == expired.certificate.not_valid_after_utc
        assert details["expiresAt"].endswith("Z")

    async def test_certificate_that_is_not_valid_yet_is_refused(
        self, caller: Caller, authority: SampleAuthority
    ) -> None:
        now = datetime.now(UTC)
        future = authority.issue_company(CNPJ, "LOJA", now + DAY, now + 300 * DAY)
        how, _ = await self.refusal(caller, future.to_pfx(PASSWORD))
        assert how == (422, "CERTIFICATE_INVALID", 404)

    async def test_certificates_of_a_person_or_another_company_are_refused(
        self, caller: Caller, authority: SampleAuthority
    ) -> None:
        now = datetime.now(UTC)
        issued = {
            "person": authority.issue_person("52998224725", "FULANO", now, now + DAY),
            "company": authority.issue_company(OTHER_CNPJ, "OUTRA", now, now + DAY),
        }
        refused = {
            name: await self.refusal(caller, certificate.to_pfx(PASSWORD))
            for name, certificate in issued.items()
        }
        assert {name: (how, details["companyTaxId"]) for name, (how, details) in refused.items()} == (
            dict.fromkeys(issued, ((422, "CERTIFICATE_TAX_ID_MISMATCH", 404), CNPJ))
        )

    async def test_missing_form_fields_are_named(self, caller: Caller) -> None:
        path = f"/v1/companies/{await caller.create_company()}/certificate"
        answer = await caller.http.post(path, data={"password": "x"}, files={})
        assert answer.status_code == 415
        answer = await caller.http.post(path, files={"password": (None, "x")})
        assert fields_of(answer) == {"file": "Campo obrigatório."}
        answer = await caller.http.post(path, files={"pfx": ("a.pfx", b"x")})
        assert fields_of(answer) == {
            "file": "Campo obrigatório.",
            "password": "Campo obrigatório.",
            "pfx": "Campo desconhecido.",
        }

    async def test_unknown_and_repeated_form_fields_are_refused(self, caller: Caller) -> None:
        path = f"/v1/companies/{await caller.create_company()}/certificate"
        twice = ("file", ("a", b"b"))
        answer = await caller.http.post(path, files=[twice, twice, ("other", (None, b"x"))])
        assert fields_of(answer) == {
            "file": "Campo enviado mais de uma vez.",
            "password": "Campo obrigatório.",
            "other": "Campo desconhecido.",
        }

    async def test_malformed_form_is_refused(self, caller: Caller) -> None:
        path = f"/v1/companies/{await caller.create_company()}/certificate"
        for media_type in ("multipart/form-data", "multipart/form-data; boundary=x"):
            answer = await caller.http.post(path, content=b"nonsense", headers={"Content-Type": media_type})
            assert (answer.status_code, code_of(answer)) == (400, "MALFORMED_FORM")

    async def test_form_in_another_charset_is_refused(self, caller: Caller) -> None:
        path = f"/v1/companies/{await caller.create_company()}/certificate"
        body = b'--x\r\nContent-Disposition: form-data; name="a\\ud800"\r\n\r\nb\r\n--x--\r\n'
        refused = {}
        for charset in ("unicode_escape", "undefined", "utf-16", "nonsense"):
            headers = {"Content-Type": f"multipart/form-data; boundary=x; charset={charset}"}
            answer = await caller.http.post(path, content=body, headers=headers)
            refused[charset] = (answer.status_code, code_of(answer))
        assert refused == dict.fromkeys(refused, (400, "MALFORMED_FORM"))

    async def test_json_is_refused(self, caller: Caller) -> None:
        path = f"/v1/companies/{await caller.create_company()}/certificate"
        answer = await caller.http.post(path, json={"file": "x", "password": "y"})
        assert (answer.status_code, code_of(answer)) == (415, "UNSUPPORTED_MEDIA_TYPE")


@pytest.mark.usefixtures("opened")
class TestDelete:
    async def test_deletion_destroys_the_key(self, caller: Caller, database: Database) -> None:
        company_id = await caller.create_company()
        data_of(await upload(caller, company_id, b""))
        path = f"/v1/companies/{company_id}/certificate"
        async with database.tenant(caller.subscription_id) as tenant:
            assert await tenant.secrets.get(UUID(company_id), "certificate")
        assert data_of(await caller.http.delete(path)) == {"companyId": company_id, "deleted": True}
        assert (await caller.http.get(path)).status_code == 404
        assert (await caller.http.delete(path)).status_code == 404
        async with database.tenant(caller.subscription_id) as tenant:
            assert await tenant.secrets.get(UUID(company_id), "certificate") is None

    async def test_deletion_of_a_company_deletes_its_secrets(
        self, caller: Caller, database: Database
    ) -> None:
        company_id = await caller.create_company()
        data_of(await upload(caller, company_id, b""))
        await caller.http.put(f"/v1/companies/{company_id}/settings", json={"nfce": {"csc": "SEGREDO123"}})
        await caller.http.delete(f"/v1/companies/{company_id}")
        async with database.connection() as connection:
            left = await connection.fetchval(
                "select count(*) from secrets where subscription_id = $1", caller.subscription_id
            )
        assert left == 0


class TestRaces:
    async def test_upload_during_the_companys_deletion_leaves_no_key(
        self, caller: Caller, opened: list[Pause], database: Database
    ) -> None:
        """The first upload is still being opened when the company is deleted; the others race."""
        company_id = await caller.create_company()
        gone = asyncio.Event()

        async def delete() -> None:
            data_of(await caller.http.delete(f"/v1/companies/{company_id}"))
            gone.set()

        opened.append(gone.wait)
        for _ in range(5):
            await asyncio.gather(upload(caller, company_id, b""), delete())
            async with database.connection() as connection:
                for table in ("secrets", "certificates"):
                    query = f"select count(*) from {table} where subscription_id = $1"
                    assert await connection.fetchval(query, caller.subscription_id) == 0
            assert await caller.create_company() == company_id

    async def test_concurrent_uploads_and_deletions_never_fail(
        self, caller: Caller, opened: list[Pause]
    ) -> None:
        company_id = await caller.create_company()
        path = f"/v1/companies/{company_id}/certificate"
        calls = [upload(caller, company_id, b"") for _ in range(4)]
        calls += [caller.http.delete(path) for _ in range(8)]
        answers = await asyncio.gather(*calls)
        assert {answer.status_code for answer in answers} <= {200, 404}


@pytest.mark.usefixtures("opened")
class TestTheOnlyCompanysPath:
    async def test_certificate_of_the_only_company_needs_no_id(self, caller: Caller) -> None:
        company_id = await caller.create_company()
        answer = await caller.http.post(
            "/v1/company/certificate",
            files={"file": ("empresa.pfx", b"")},
            data={"password": PASSWORD},
        )
        assert data_of(answer)["companyId"] == company_id
        assert data_of(await caller.http.get("/v1/company/certificate")) == data_of(answer)
        assert data_of(await caller.http.delete("/v1/company/certificate"))["deleted"] is True

"""The A1 certificate of a company: each wrong file has its own code."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import httpx2
import pytest

from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from carimbo.storage.database import Database
from support import CNPJ, OTHER_CNPJ, Caller, code_of, data_of, fields_of

PASSWORD = "sénha-do-arquivo"
DATA = Path(__file__).parents[2] / "data"


async def upload(caller: Caller, company_id: str, pfx: bytes, password: str = PASSWORD) -> httpx2.Response:
    return await caller.http.post(
        f"/v1/companies/{company_id}/certificate",
        files={"file": ("empresa.pfx", pfx, "application/x-pkcs12")},
        data={"password": password},
    )


class TestUpload:
    async def test_answers_with_the_dates_and_keeps_the_key_sealed(
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

    async def test_takes_old_files(self, caller: Caller, company_certificate: SampleCertificate) -> None:
        company_id = await caller.create_company()
        data_of(await upload(caller, company_id, company_certificate.to_pfx(PASSWORD, legacy=True)))
        rc2 = (DATA / "a1_rc2_40.pfx").read_bytes()
        data_of(await upload(caller, company_id, rc2, "segredo"))

    async def test_takes_a_file_without_password(self, caller: Caller) -> None:
        company_id = await caller.create_company()
        data_of(await upload(caller, company_id, (DATA / "a1_empty_password.pfx").read_bytes(), ""))

    async def test_takes_the_certificate_of_another_branch(
        self, caller: Caller, company_certificate: SampleCertificate
    ) -> None:
        branch = await caller.create_company("11222333000262")
        data_of(await upload(caller, branch, company_certificate.to_pfx(PASSWORD)))

    async def test_replaces_the_one_before(
        self, caller: Caller, company_certificate: SampleCertificate, authority: SampleAuthority
    ) -> None:
        company_id = await caller.create_company()
        first = data_of(await upload(caller, company_id, company_certificate.to_pfx(PASSWORD)))
        now = datetime.now(UTC)
        renewed = authority.issue_company(CNPJ, "LOJA MODELO LTDA", now, now + timedelta(days=365))
        second = data_of(await upload(caller, company_id, renewed.to_pfx(PASSWORD)))
        assert second["certificate"]["serialNumber"] != first["certificate"]["serialNumber"]

    async def test_works_for_a_cnpj_with_letters(self, caller: Caller, authority: SampleAuthority) -> None:
        now = datetime.now(UTC)
        issued = authority.issue_company(OTHER_CNPJ, "ALFA LTDA", now, now + timedelta(days=365))
        company_id = await caller.create_company(OTHER_CNPJ)
        record = data_of(await upload(caller, company_id, issued.to_pfx(PASSWORD)))
        assert record["certificate"]["taxId"] == OTHER_CNPJ


class TestRefusal:
    async def assert_refused(
        self, caller: Caller, pfx: bytes, code: str, password: str = PASSWORD
    ) -> httpx2.Response:
        company_id = await caller.create_company()
        answer = await upload(caller, company_id, pfx, password)
        assert (answer.status_code, code_of(answer)) == (422, code)
        assert (await caller.http.get(f"/v1/companies/{company_id}/certificate")).status_code == 404
        return answer

    async def test_of_a_wrong_password(self, caller: Caller, company_certificate: SampleCertificate) -> None:
        pfx = company_certificate.to_pfx(PASSWORD)
        await self.assert_refused(caller, pfx, "CERTIFICATE_PASSWORD_INVALID", "outra")

    @pytest.mark.parametrize(
        "pfx",
        [b"", b"garbage", b"\x30\x80" * 1000, b"\x00" * 2_000_000],
        ids=["empty", "text", "nested", "large"],
    )
    async def test_of_garbage(self, caller: Caller, pfx: bytes) -> None:
        await self.assert_refused(caller, pfx, "CERTIFICATE_INVALID")

    async def test_of_a_truncated_file(self, caller: Caller, company_certificate: SampleCertificate) -> None:
        pfx = company_certificate.to_pfx(PASSWORD)
        await self.assert_refused(caller, pfx[: len(pfx) // 2], "CERTIFICATE_INVALID")

    async def test_of_an_expired_one(self, caller: Caller, authority: SampleAuthority) -> None:
        now = datetime.now(UTC)
        day = timedelta(days=1)
        expired = authority.issue_company(CNPJ, "LOJA", now - 400 * day, now - day)
        answer = await self.assert_refused(caller, expired.to_pfx(PASSWORD), "CERTIFICATE_EXPIRED")
        expires_at = answer.json()["error"]["details"]["expiresAt"]
        assert datetime.fromisoformat(expires_at) == expired.certificate.not_valid_after_utc
        assert expires_at.endswith("Z")

    async def test_of_one_not_valid_yet(self, caller: Caller, authority: SampleAuthority) -> None:
        now = datetime.now(UTC)
        day = timedelta(days=1)
        future = authority.issue_company(CNPJ, "LOJA", now + day, now + 300 * day)
        await self.assert_refused(caller, future.to_pfx(PASSWORD), "CERTIFICATE_INVALID")

    async def test_of_a_persons(self, caller: Caller, authority: SampleAuthority) -> None:
        now = datetime.now(UTC)
        person = authority.issue_person("52998224725", "FULANO", now, now + timedelta(days=1))
        answer = await self.assert_refused(caller, person.to_pfx(PASSWORD), "CERTIFICATE_TAX_ID_MISMATCH")
        assert answer.json()["error"]["details"]["companyTaxId"] == CNPJ

    async def test_of_another_companys(self, caller: Caller, authority: SampleAuthority) -> None:
        now = datetime.now(UTC)
        other = authority.issue_company(OTHER_CNPJ, "OUTRA", now, now + timedelta(days=1))
        await self.assert_refused(caller, other.to_pfx(PASSWORD), "CERTIFICATE_TAX_ID_MISMATCH")

    async def test_of_missing_parts_names_them(self, caller: Caller) -> None:
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

    async def test_of_parts_that_are_unknown_or_twice(self, caller: Caller) -> None:
        path = f"/v1/companies/{await caller.create_company()}/certificate"
        twice = ("file", ("a", b"b"))
        answer = await caller.http.post(path, files=[twice, twice, ("other", (None, b"x"))])
        assert fields_of(answer) == {
            "file": "Campo enviado mais de uma vez.",
            "password": "Campo obrigatório.",
            "other": "Campo desconhecido.",
        }

    async def test_of_a_broken_form(self, caller: Caller) -> None:
        path = f"/v1/companies/{await caller.create_company()}/certificate"
        for media_type in ("multipart/form-data", "multipart/form-data; boundary=x"):
            answer = await caller.http.post(path, content=b"nonsense", headers={"Content-Type": media_type})
            assert (answer.status_code, code_of(answer)) == (400, "MALFORMED_FORM")

    @pytest.mark.parametrize("charset", ["unicode_escape", "undefined", "utf-16", "nonsense"])
    async def test_of_a_form_in_another_charset(self, caller: Caller, charset: str) -> None:
        path = f"/v1/companies/{await caller.create_company()}/certificate"
        body = b'--x\r\nContent-Disposition: form-data; name="a\\ud800"\r\n\r\nb\r\n--x--\r\n'
        headers = {"Content-Type": f"multipart/form-data; boundary=x; charset={charset}"}
        answer = await caller.http.post(path, content=body, headers=headers)
        assert (answer.status_code, code_of(answer)) == (400, "MALFORMED_FORM")

    async def test_of_json(self, caller: Caller) -> None:
        path = f"/v1/companies/{await caller.create_company()}/certificate"
        answer = await caller.http.post(path, json={"file": "x", "password": "y"})
        assert (answer.status_code, code_of(answer)) == (415, "UNSUPPORTED_MEDIA_TYPE")


class TestDelete:
    async def test_destroys_the_key(
        self, caller: Caller, company_certificate: SampleCertificate, database: Database
    ) -> None:
        company_id = await caller.create_company()
        await upload(caller, company_id, company_certificate.to_pfx(PASSWORD))
        path = f"/v1/companies/{company_id}/certificate"
        assert data_of(await caller.http.delete(path)) == {"companyId": company_id, "deleted": True}
        assert (await caller.http.get(path)).status_code == 404
        assert (await caller.http.delete(path)).status_code == 404
        async with database.tenant(caller.subscription_id) as tenant:
            assert await tenant.secrets.get(UUID(company_id), "certificate") is None

    async def test_comes_with_the_companys(
        self, caller: Caller, company_certificate: SampleCertificate, database: Database
    ) -> None:
        company_id = await caller.create_company()
        await upload(caller, company_id, company_certificate.to_pfx(PASSWORD))
        await caller.http.put(f"/v1/companies/{company_id}/settings", json={"nfce": {"csc": "SEGREDO123"}})
        await caller.http.delete(f"/v1/companies/{company_id}")
        async with database.connection() as connection:
            left = await connection.fetchval(
                "select count(*) from secrets where subscription_id = $1", caller.subscription_id
            )
        assert left == 0


class TestRaces:
    async def test_an_upload_beside_the_companys_deletion_leaves_no_key(
        self, caller: Caller, company_certificate: SampleCertificate, database: Database
    ) -> None:
        pfx = company_certificate.to_pfx(PASSWORD)
        company_id = await caller.create_company()
        for _ in range(5):
            await asyncio.gather(
                upload(caller, company_id, pfx), caller.http.delete(f"/v1/companies/{company_id}")
            )
            async with database.connection() as connection:
                for table in ("secrets", "certificates"):
                    query = f"select count(*) from {table} where subscription_id = $1"
                    assert await connection.fetchval(query, caller.subscription_id) == 0
            assert await caller.create_company() == company_id

    async def test_uploads_and_deletions_together_never_fail(
        self, caller: Caller, company_certificate: SampleCertificate
    ) -> None:
        pfx = company_certificate.to_pfx(PASSWORD)
        company_id = await caller.create_company()
        path = f"/v1/companies/{company_id}/certificate"
        calls = [upload(caller, company_id, pfx) for _ in range(4)]
        calls += [caller.http.delete(path) for _ in range(8)]
        answers = await asyncio.gather(*calls)
        assert {answer.status_code for answer in answers} <= {200, 404}


class TestTheOnlyCompanysPath:
    async def test_uploads_reads_and_deletes(
        self, caller: Caller, company_certificate: SampleCertificate
    ) -> None:
        company_id = await caller.create_company()
        answer = await caller.http.post(
            "/v1/company/certificate",
            files={"file": ("empresa.pfx", company_certificate.to_pfx(PASSWORD))},
            data={"password": PASSWORD},
        )
        assert data_of(answer)["companyId"] == company_id
        assert data_of(await caller.http.get("/v1/company/certificate")) == data_of(answer)
        assert data_of(await caller.http.delete("/v1/company/certificate"))["deleted"] is True

"""The certificate and the logo of a company in the dashboard: files that people upload."""

from datetime import UTC, datetime, timedelta
from io import BytesIO

import httpx2
import pytest
from PIL import Image

from carimbo.fiscal.sample_certificate import SampleAuthority, SampleCertificate
from integration.dashboard.company_rows import DAY
from integration.dashboard.panel import ORIGIN, Panel, fields_of, words_of
from integration.dashboard.test_companies_registration import problems_in
from support import CNPJ, OTHER_CNPJ, Caller, code_of, data_of

PASSWORD = " sénha do arquivo "


async def upload(panel: Panel, address: str, file: tuple[str, bytes] | None, **typed: str) -> httpx2.Response:
    """Sends the form with a file that is on a page."""
    [form] = (await panel.page(address)).xpath("//form[@enctype='multipart/form-data']")
    files = {"file": (*(file or ("", b"")), "application/octet-stream")}
    return await panel.http.post(
        form.get("action"), data=fields_of(form) | typed, files=files, headers={"Origin": ORIGIN}
    )


class TestCertificate:
    async def test_page_says_what_the_new_certificate_says(
        self, panel: Panel, caller: Caller, company_certificate: SampleCertificate
    ) -> None:
        company_id = await caller.create_company()
        address = f"{panel.company(company_id)}/certificado"
        answer = await upload(
            panel, address, ("empresa.pfx", company_certificate.to_pfx(PASSWORD)), password=PASSWORD
        )
        text = words_of(await panel.page(answer.headers["location"]))
        expires_at = company_certificate.certificate.not_valid_after_utc
        for part in ("Certificado guardado.", "CNPJ 11.222.333/0001-81", f"/{expires_at.year} "):
            assert part in text
        stored = data_of(await caller.http.get(f"/v1/companies/{company_id}/certificate"))["certificate"]
        assert f"Titular {stored['subjectName']}" in text

        removal = await panel.page(f"{address}/remover")
        assert stored["subjectName"] in words_of(removal)
        await panel.press(removal, "Remover")
        assert code_of(await caller.http.get(f"/v1/companies/{company_id}/certificate")) == "NOT_FOUND"

    async def test_each_wrong_file_is_refused_at_the_input_that_is_wrong(
        self, panel: Panel, caller: Caller, company_certificate: SampleCertificate, authority: SampleAuthority
    ) -> None:
        company_id, now = await caller.create_company(), datetime.now(UTC)
        address = f"{panel.company(company_id)}/certificado"
        pfx = company_certificate.to_pfx(PASSWORD)
        expired = authority.issue_company(CNPJ, "LOJA", now - 366 * DAY, now - timedelta(seconds=1))
        other = authority.issue_company(OTHER_CNPJ, "OUTRA", now, now + 365 * DAY)
        problems = {
            name: problems_in(await upload(panel, address, file, password=password))
            for name, (file, password) in {
                "no file": (None, PASSWORD),
                "password": (("a.pfx", pfx), "outra"),
                "no certificate": (("a.pfx", b"x"), PASSWORD),
                "expired": (("a.pfx", expired.to_pfx("x")), "x"),
                "of another company": (("a.pfx", other.to_pfx("x")), "x"),
            }.items()
        }
        assert {name: [*each] for name, each in problems.items()} == {
            "no file": ["file"], "password": ["password"], "no certificate": ["file"], "expired": ["file"],
            "of another company": ["file"],
        }  # fmt: skip
        assert problems["password"]["password"] == "A senha do certificado está incorreta."
        assert problems["of another company"]["file"] == (
            "O certificado é do CNPJ 12.ABC.345/01DE-35, e o da empresa é 11.222.333/0001-81."
        )
        assert not [text for each in problems.values() for text in each.values() if "/v1/" in text]
        assert code_of(await caller.http.get(f"/v1/companies/{company_id}/certificate")) == "NOT_FOUND"


class TestLogo:
    @pytest.fixture
    def png(self) -> bytes:
        file = BytesIO()
        Image.new("RGB", (40, 20), "navy").save(file, "PNG")
        return file.getvalue()

    async def test_logo_is_shown_and_removed(self, panel: Panel, caller: Caller, png: bytes) -> None:
        company_id = await caller.create_company()
        address = f"{panel.company(company_id)}/logotipo"
        await upload(panel, address, ("logo.png", png))
        page = await panel.page(address)
        [source] = page.xpath("//main//img/@src")
        image = await panel.http.get(source)
        assert (image.headers["content-type"], image.content[:4]) == ("image/png", b"\x89PNG")
        await panel.press(await panel.page(f"{address}/remover"), "Remover")
        assert (await panel.page(address)).xpath("//main//img") == []

    async def test_file_that_is_no_image_is_refused_at_the_input(self, panel: Panel, caller: Caller) -> None:
        address = f"{panel.company(await caller.create_company())}/logotipo"
        for file in (None, ("logo.png", b"x")):
            assert problems_in(await upload(panel, address, file)).keys() == {"file"}

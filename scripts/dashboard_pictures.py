"""Writes docs/images/dashboard-*.png: pages of the dashboard of a demo, with its made-up data."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from chromium import launched
from first_documents import Newcomer, first_documents
from PIL import Image
from playwright.async_api import Page

from carimbo.service.people.new_links import DEMO_EMAIL

IMAGES = Path(__file__).parent.parent / "docs" / "images"
WIDTH, HEIGHT = 1280, 800
COLORS = 64
# The demo's clock, so that a new picture shows the same dates as the last.
NOW = "2026-12-02T10:00:00-03:00"
_LAST_LINE = "Ctrl-C para parar"
_COMPANY = "/painel/{apiKey}/empresas/{companyId}"


@dataclass(frozen=True)
class PagePicture:
    """A page, and the name of its picture."""

    name: str
    path: str
    """The path, with names of facts of the demo in braces."""
    link: str = ""
    """The beginning of a link on that page; the picture is of the page behind it."""


MOMENTS = ("first-page", "first-steps", "certificate", "issue-nfse", "issued-nfe")
"""The moments on the way to the first documents that the how-to shows."""
TAX_ID = "33444555000181"
PICTURES = (
    PagePicture("home", "/painel/{apiKey}"),
    PagePicture("documents", f"{_COMPANY}/documentos"),
    PagePicture("document", "/painel/{apiKey}", "Abrir NF-e"),
    PagePicture("sales", f"{_COMPANY}/vendas"),
    PagePicture("numbering", f"{_COMPANY}/numeracao"),
    PagePicture("company", _COMPANY),
    PagePicture("authorities", "/painel/{apiKey}/autoridades"),
    PagePicture("people", "/painel/{apiKey}/pessoas"),
)


@contextmanager
def running_demo() -> Iterator[dict[str, str]]:
    """Runs a demo of its own, and yields its facts once its sample documents are issued."""
    with tempfile.TemporaryDirectory(prefix="carimbo-") as folder:
        data = Path(folder, "data")
        options = ["--data-dir", str(data), "--now", NOW, *_free_ports()]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CARIMBO_")}
        command = [sys.executable, "-m", "carimbo", "demo", *options]
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as demo:  # noqa: S603
            try:
                shown = []
                for line in demo.stdout or ():
                    shown.append(line)
                    if line.startswith(_LAST_LINE):
                        break
                else:
                    raise SystemExit("the demo ended:\n" + "".join(shown))
                facts = json.loads((data / "demo.json").read_text(encoding="utf-8"))
                yield facts | {"certificate": str(_made_certificate(data))}
            finally:
                demo.terminate()
                demo.communicate()


def _made_certificate(data: Path) -> Path:
    """Makes the certificate of the company that is registered on the pictures."""
    certificate = data / "empresa.pfx"
    options = ["--tax-id", TAX_ID, "--name", "CANECA BOA LTDA", "--data-dir", str(data / "simulator")]
    command = [
        sys.executable,
        "-m",
        "carimbo",
        "simulator",
        "certificate",
        *options,
        "--out",
        str(certificate),
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    return certificate


def _free_ports() -> list[str]:
    options = ("--port", "--simulator-port", "--simulator-control-port")
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in options]
    ports = [str(listener.getsockname()[1]) for listener in listeners]
    for listener in listeners:
        listener.close()
    return [argument for pair in zip(options, ports, strict=True) for argument in pair]


@asynccontextmanager
async def opened_page(base_url: str) -> AsyncIterator[Page]:
    """Opens a page that looks the same on every machine."""
    async with launched() as browser:
        context = await browser.new_context(
            base_url=base_url,
            viewport={"width": WIDTH, "height": HEIGHT},
            device_scale_factor=1,
            color_scheme="light",
            reduced_motion="reduce",
            locale="pt-BR",
            timezone_id="America/Sao_Paulo",
        )
        yield await context.new_page()


async def picture(page: Page, path: str, link: str = "") -> Image.Image:
    """Returns the top of a page, in few colors. Raises SystemExit if the page is another one or an error."""
    answer = await page.goto(path)
    if answer is None or not answer.ok or answer.request.redirected_from:
        raise SystemExit(f"{path} can't be shown")
    if link:
        await page.get_by_role("link", name=link).first.click()
        await page.wait_for_load_state()
    return await screenshot(page)


async def screenshot(page: Page) -> Image.Image:
    """Returns the visible part of a page, in few colors."""
    image = Image.open(BytesIO(await page.screenshot(animations="disabled", caret="hide")))
    return image.convert("RGB").convert("P", palette=Image.Palette.ADAPTIVE, colors=COLORS)


async def take_pictures(facts: Mapping[str, str], newcomer: Newcomer) -> None:
    """Signs in by the demo's link and writes all pictures."""
    link = facts["dashboardUrl"]
    async with opened_page(link.partition("/painel")[0]) as page:
        await page.goto(link)
        await page.get_by_role("heading", name="Início").wait_for()
        for item in PICTURES:
            image = await picture(page, item.path.format(**facts), item.link)
            image.save(IMAGES / f"dashboard-{item.name}.png", optimize=True)
        async for moment in first_documents(page, newcomer):
            if moment in MOMENTS:
                if moment.startswith("issue-"):
                    await page.get_by_text("Tudo certo para emitir").wait_for()
                image = await screenshot(page)
                image.save(IMAGES / f"dashboard-{moment}.png", optimize=True)


def main() -> None:
    """Write the pictures."""
    IMAGES.mkdir(exist_ok=True)
    with running_demo() as facts:
        certificate = Path(facts["certificate"]).read_bytes()
        asyncio.run(take_pictures(facts, Newcomer(DEMO_EMAIL, TAX_ID, certificate, "carimbo")))


if __name__ == "__main__":
    main()

"""Invitations where e-mail is configured."""

from urllib.parse import urlsplit
from uuid import uuid4

from carimbo.service.services import Services
from integration.dashboard.issued.conftest import OpenWindow
from integration.dashboard.panel import strings_of, text_of
from integration.issuing.shop import Shop
from smtp_server import SmtpServer


async def test_invited_person_gets_the_link_that_the_page_shows(
    shop: Shop, look_at: OpenWindow, mail_server: SmtpServer
) -> None:
    panel, email = (await look_at(shop)).panel, f"{uuid4().hex}@example.com"
    address = f"{panel.base}/pessoas/convidar"
    answer = await panel.press(await panel.page(address), "Convidar", email=email, role="issuer")
    page = await panel.page(answer.headers["location"])
    assert f"Convite para {email}" in text_of(page)
    assert "enviado por e-mail" in text_of(page)
    (link,) = [code for code in strings_of(page, "//code/text()") if "/convite/" in code]
    services: Services = shop.system.app.state.services
    await services.sign_in.background.finish()
    (mail,) = mail_server.sent_to(email)
    # The page has the address at which the person reaches it, the mail the public one.
    assert urlsplit(link).path in mail.text

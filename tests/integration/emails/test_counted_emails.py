"""Metrics of attempts to send e-mails."""

import pytest

from integration.emails.mailbox import new_address, request_email, settled_email
from integration.issuing.shop import Shop
from metric_samples import shown, until_risen
from smtp_server import SmtpServer


@pytest.mark.parametrize(
    ("answers", "counted"),
    [
        ((), ["sent"]),
        (("451 4.7.1 Greylisted",), ["pending", "sent"]),
        (("550 5.1.1 No such user here",) * 2, ["failed"]),
    ],
    ids=["taken", "later", "refused"],
)
async def test_attempt_is_counted_by_its_outcome(
    shop: Shop, mail_server: SmtpServer, answers: tuple[str, ...], counted: list[str]
) -> None:
    address, outcomes = new_address(), ("sent", "pending", "failed")
    mail_server.answer(address, *answers)
    before = {outcome: shown("emails_total", outcome=outcome) or 0 for outcome in outcomes}
    document = await shop.issue()
    await request_email(shop, document, {"to": [address]})
    await settled_email(shop, document)
    for outcome in counted:
        await until_risen("emails_total", before[outcome], outcome=outcome)
    assert sum(shown("emails_total", outcome=outcome) or 0 for outcome in outcomes) == sum(
        before.values()
    ) + len(counted)

"""What is counted of attempts to send e-mails."""

import pytest

from integration.emails.mailbox import ask, fate_of, new_address
from integration.issuing.shop import Shop
from metric_samples import shown, until_risen
from post_office import PostOffice


@pytest.mark.parametrize(
    ("answers", "counted"),
    [
        ((), ["sent"]),
        (("451 4.7.1 Greylisted",), ["pending", "sent"]),
        (("550 5.1.1 No such user here",) * 2, ["failed"]),
    ],
    ids=["taken", "later", "refused"],
)
async def test_each_counts_as_what_came_of_it(
    shop: Shop, office: PostOffice, answers: tuple[str, ...], counted: list[str]
) -> None:
    address, outcomes = new_address(), ("sent", "pending", "failed")
    office.answer(address, *answers)
    before = {outcome: shown("emails_total", outcome=outcome) or 0 for outcome in outcomes}
    document = await shop.issue()
    await ask(shop, document, {"to": [address]})
    await fate_of(shop, document)
    for outcome in counted:
        await until_risen("emails_total", before[outcome], outcome=outcome)
    assert sum(shown("emails_total", outcome=one) or 0 for one in outcomes) == sum(before.values()) + len(
        counted
    )

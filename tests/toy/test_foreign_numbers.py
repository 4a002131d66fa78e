"""Numbers that another system of the same company has used, as the authority reports."""

import pytest

from carimbo.fiscal.identity.certificate import A1Certificate
from integration.issuing.actions import cancel
from integration.issuing.shop import Shop, accepted, own_number
from integration.issuing.system import System
from support import data_of
from toy.codes import OTHER_KEY_CODE, TAKEN_CODE
from toy.shop import KINDS, toy_shop

MAX_SKIPPED = 10
TAKEN = {"toy": OTHER_KEY_CODE, "toynote": TAKEN_CODE}


@pytest.fixture
async def twin(system: System, shop: Shop, certificate: A1Certificate) -> Shop:
    """The same company in another installation, which counts its own numbers."""
    tax_id = data_of(await shop.get(""))["taxId"]
    return await toy_shop(system, await system.new_caller("unlimited"), certificate, tax_id)


@pytest.mark.parametrize("document_type", KINDS)
class TestNumberOfAnotherInstallation:
    async def test_used_number_is_skipped_and_the_next_one_is_taken(
        self, shop: Shop, twin: Shop, document_type: str
    ) -> None:
        first = await shop.issue(document_type)
        ours = await twin.issue(document_type, notes="De outra instalação")
        assert (first["status"], ours["status"]) == ("authorized", "authorized")
        assert (own_number(first), own_number(ours)) == (1, 2)
        assert first["accessKey"] != ours["accessKey"]
        types = [event["type"] for event in await twin.events(ours)]
        assert types.count("numbered") == 2
        assert types[-1] == "authorized"

    async def test_number_of_a_canceled_document_is_skipped(
        self, shop: Shop, twin: Shop, document_type: str
    ) -> None:
        first = await shop.issue(document_type)
        data_of(await cancel(shop, first))
        ours = await twin.issue(document_type, notes="De outra instalação")
        assert (ours["status"], own_number(ours)) == ("authorized", 2)

    async def test_ten_used_numbers_are_a_refusal_until_another_number_is_set(
        self, shop: Shop, twin: Shop, document_type: str
    ) -> None:
        for _ in range(MAX_SKIPPED + 1):
            assert (await shop.issue(document_type))["status"] == "authorized"
        refused = await twin.issue(document_type, notes="De outra instalação")
        assert (refused["status"], refused["rejection"]["code"]) == ("rejected", TAKEN[document_type])
        assert own_number(refused) == MAX_SKIPPED
        await twin.put_settings(**{document_type: {"number": 50}})
        accepted(await twin.emit(refused))
        cured = await twin.settled(refused)
        assert (cured["status"], own_number(cured)) == ("authorized", 50)

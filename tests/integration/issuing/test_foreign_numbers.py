"""Numbers that another system of the same company has used: the authority says so (539)."""

import pytest

from carimbo.fiscal.certificate import A1Certificate
from integration.issuing.floor import Floor
from integration.issuing.shop import Shop, accepted, ready_shop
from support import data_of

MOST = 10


@pytest.fixture
async def twin(floor: Floor, shop: Shop, certificate: A1Certificate) -> Shop:
    """The same company as another installation has it, which knows nothing of this one's numbers."""
    tax_id = data_of(await shop.get(""))["taxId"]
    return await ready_shop(floor, await floor.new_caller("unlimited"), certificate, tax_id)


class TestNumberOfAnother:
    async def test_is_left_to_it_and_the_next_one_is_taken(self, shop: Shop, twin: Shop) -> None:
        first = await shop.issue()
        ours = await twin.issue()
        assert (first["status"], ours["status"]) == ("authorized", "authorized")
        assert (first["number"], ours["number"]) == (1, 2)
        assert first["accessKey"] != ours["accessKey"]
        told = [event["type"] for event in await twin.events(ours)]
        assert told.count("numbered") == 2
        assert told[-1] == "authorized"

    async def test_again_and_again_is_a_refusal_that_another_number_cures(
        self, shop: Shop, twin: Shop
    ) -> None:
        for _ in range(MOST + 1):
            assert (await shop.issue())["status"] == "authorized"
        refused = await twin.issue()
        assert (refused["status"], refused["rejection"]["code"]) == ("rejected", "539")
        assert refused["number"] == MOST
        await twin.put_settings(nfe={"number": 50})
        accepted(await twin.emit(refused))
        cured = await twin.settled(refused)
        assert (cured["status"], cured["number"]) == ("authorized", 50)

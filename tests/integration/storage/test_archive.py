import pytest

from carimbo.storage.identifiers import new_id
from integration.storage.document_rows import Shop


class TestArchive:
    @pytest.mark.parametrize(
        "content",
        [b"", b"\x00\xff", "<NFe>ção</NFe>".encode(), bytes(2_000_000)],
        ids=["empty", "bytes", "text", "large"],
    )
    async def test_a_file_comes_back_byte_for_byte(self, shop: Shop, content: bytes) -> None:
        owner = new_id()
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.archive.put(owner, "signed/abc=", content)
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            assert await tenant.archive.get(owner, "signed/abc=") == content

    async def test_files_are_identified_by_owner_and_name(self, shop: Shop) -> None:
        owner, other = new_id(), new_id()
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.archive.put(owner, "a", b"1")
            await tenant.archive.put(owner, "b", b"2")
            await tenant.archive.put(other, "a", b"3")
            files = ((owner, "a"), (owner, "b"), (other, "a"))
            assert [await tenant.archive.get(*file) for file in files] == [b"1", b"2", b"3"]
            assert await tenant.archive.get(other, "b") is None

    async def test_a_file_replaces_the_one_of_the_same_name(self, shop: Shop) -> None:
        owner = new_id()
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.archive.put(owner, "a", b"1")
            await tenant.archive.put(owner, "a", b"2")
            assert await tenant.archive.get(owner, "a") == b"2"

    async def test_removing_a_file_leaves_the_others(self, shop: Shop) -> None:
        owner = new_id()
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.archive.put(owner, "a", b"1")
            await tenant.archive.put(owner, "b", b"2")
            await tenant.archive.delete(owner, "a")
            assert [await tenant.archive.get(owner, name) for name in ("a", "b")] == [None, b"2"]

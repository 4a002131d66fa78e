"""Rows of documents that need a person, in two companies of a subscription."""

from dataclasses import dataclass
from typing import Any

from carimbo.fiscal.lifecycle import Status
from carimbo.storage.documents import Document
from carimbo.storage.issuing import Verdict
from integration.storage.document_rows import Shop

BAD_NCM = {"code": "778", "message": "Rejeição: NCM inexistente", "hint": "Confira o NCM."}


@dataclass(frozen=True)
class ProblemRows:
    """A company with problems, and another one of the same subscription."""

    shop: Shop
    other: Shop

    async def execute(self, sql: str, *values: Any) -> None:
        async with self.shop.database.connection() as connection:
            await connection.execute(sql, *values)

    async def rejected(self, shop: Shop | None = None, **rejection: str) -> Document:
        """Stores a document that its authority rejects."""
        shop = shop or self.shop
        document = await shop.added()
        await shop.settle(document, Verdict(status=Status.REJECTED, rejection={**BAD_NCM, **rejection}))
        return document

    async def attempt(self, document: Document, number: int, state: str = "rejected", **columns: Any) -> None:
        """Stores the attempt of a document, as its columns say."""
        values = {
            "issued_at": None, "emission_type": "1", "access_key": None, "answer_code": None,
            "answer_message": None, **columns,
        }  # fmt: skip
        await self.execute("update documents set emission = 1 where id = $1", document.id)
        await self.execute(
            "insert into emissions (subscription_id, document_id, ordinal, company_id, document_type,"
            " environment, series, number, numeric_code, state, issued_at, emission_type, access_key,"
            " answer_code, answer_message)"
            " values ($1, $2, 1, $3, $4, $5, 1, $6, '12345678', $7, $8, $9, $10, $11, $12)",
            self.shop.subscription_id, document.id, document.company_id, document.type, document.environment,
            number, state, *values.values(),
        )  # fmt: skip

"""The next number of each series."""

from uuid import UUID

from carimbo.storage.connection import Connection
from carimbo.storage.emissions import Place


class NumberSequences:
    """Sequences of one subscription's companies, by document type, environment and series."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def next_number(self, company_id: UUID, document_type: str, environment: str, series: int) -> int:
        """Tell the number that the next document takes, without taking it."""
        number: int | None = await self._connection.fetchval(
            """
            select next_number from number_sequences where subscription_id = $1 and company_id = $2
                and document_type = $3 and environment = $4 and series = $5
            """,
            self._subscription_id, company_id, document_type, environment, series,
        )  # fmt: skip
        return 1 if number is None else number

    async def lock(self, company_id: UUID, document_type: str, environment: str, series: int) -> int:
        """Tell the next number, and keep others from taking it until the transaction ends."""
        number: int = await self._connection.fetchval(
            """
            insert into number_sequences as n
                (subscription_id, company_id, document_type, environment, series, next_number)
            values ($1, $2, $3, $4, $5, 1)
            on conflict (subscription_id, company_id, document_type, environment, series)
            do update set next_number = n.next_number returning next_number
            """,
            self._subscription_id, company_id, document_type, environment, series,
        )  # fmt: skip
        return number

    async def set_next_number(
        self, company_id: UUID, document_type: str, environment: str, series: int, number: int
    ) -> None:
        """Write which number is given next, even one that was given before."""
        await self._connection.execute(
            """
            insert into number_sequences
                (subscription_id, company_id, document_type, environment, series, next_number)
            values ($1, $2, $3, $4, $5, $6)
            on conflict (subscription_id, company_id, document_type, environment, series)
            do update set next_number = excluded.next_number
            """,
            self._subscription_id, company_id, document_type, environment, series, number,
        )  # fmt: skip

    async def move_past(self, place: Place, number: int) -> None:
        """Let the next number come after one that was given elsewhere; it never goes back.

        Who takes or gives up numbers of the series waits until the caller's transaction ends.
        """
        await self._connection.execute(
            """
            insert into number_sequences as n
                (subscription_id, company_id, document_type, environment, series, next_number)
            values ($1, $2, $3, $4, $5, $6)
            on conflict (subscription_id, company_id, document_type, environment, series)
            do update set next_number = greatest(n.next_number, excluded.next_number)
            """,
            self._subscription_id,
            place.company_id, place.document_type, place.environment, place.series, number + 1,
        )  # fmt: skip

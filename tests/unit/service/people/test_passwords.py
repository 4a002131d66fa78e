"""Which passwords are accepted, and how visitors are limited."""

import asyncio
from threading import Event

import pytest
from argon2 import PasswordHasher

from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.people.context import Visitor
from carimbo.service.people.passwords import Passwords, require_good_password

EMAIL = "ana.lima@example.com"


@pytest.mark.parametrize(
    "password",
    [
        "curta demais"[:11],
        "x" * 40,
        "Xx" * 10,
        "a" * 129,
        "ab" * 65,
        "minha ana.lima 2026",
        "MINHA ANA.LIMA 2026",
        "meu Carimbo seguro",
        "c\u0327c\u0327c\u0327c\u0327c\u0327c\u0327c\u0327c\u0327c\u0327",
        "",
        "123456789012",
        "senha1234567",
        "passwordpassword",
        "ab" * 64,
        # Normalizing a text of so many marks would take minutes.
        "a" + "\u0301\u0323" * 500_000,
    ],
    ids=lambda password: password[:20],
)
def test_password_that_is_easy_to_guess_is_refused(password: str) -> None:
    with pytest.raises(Refusal) as refused:
        require_good_password(password, EMAIL)
    assert refused.value.code is ErrorCode.VALIDATION_ERROR
    assert refused.value.details is not None
    assert [field["field"] for field in refused.value.details["fields"]] == ["password"]


@pytest.mark.parametrize(
    ("password", "email"),
    [
        ("doze letras!", EMAIL),
        ("senha com acentuação", EMAIL),
        # So short a part would be in nearly every password.
        ("cavalo de bateria", "al@example.com"),
    ],
)
def test_other_password_is_accepted(password: str, email: str) -> None:
    require_good_password(password, email)


async def test_hash_is_argon2id_and_of_this_password_only() -> None:
    passwords = Passwords()
    stored = await passwords.hash("um cavalo de bateria")
    assert stored.startswith("$argon2id$")
    assert await passwords.verify(stored, "um cavalo de bateria")
    assert not await passwords.verify(stored, "um cavalo de bateri\ud800")
    assert not await passwords.verify(None, "the hash of no account")
    assert not await passwords.verify("no hash", "um cavalo de bateria")


async def test_long_password_is_not_normalized_to_be_verified() -> None:
    passwords = Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    stored = await passwords.hash("a" * 128)
    assert not await passwords.verify(stored, "a" * 128 + "\u0301\u0323" * 500_000)


async def test_password_of_the_greatest_length_is_right_with_decomposed_accents() -> None:
    passwords = Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    stored = await passwords.hash("ã" * 128)
    assert await passwords.verify(stored, "a\u0303" * 128)


class WaitingHasher(PasswordHasher):
    """Computes hashes only after a test lets it."""

    def __init__(self) -> None:
        super().__init__(time_cost=1, memory_cost=8, parallelism=1)
        self.may_begin = Event()

    def hash(self, *values: str | bytes, **options: bytes | None) -> str:  # type: ignore[override]
        assert self.may_begin.wait(60)
        return super().hash(*values, **options)  # type: ignore[arg-type]


async def test_hash_is_refused_at_once_while_twenty_wait() -> None:
    hasher = WaitingHasher()
    passwords = Passwords(hasher)
    hashes = [asyncio.create_task(passwords.hash("um cavalo de bateria")) for _ in range(22)]
    try:
        await asyncio.sleep(0)
        with pytest.raises(Refusal) as refused:
            await passwords.verify(None, "um cavalo de bateria")
        assert refused.value.code is ErrorCode.SERVICE_UNAVAILABLE
    finally:
        hasher.may_begin.set()
        await asyncio.gather(*hashes)
    assert await passwords.hash("um cavalo de bateria")


@pytest.mark.parametrize(
    ("address", "other", "is_same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        (None, "no address", True),
        ("192.0.2.1", "::ffff:192.0.2.1", True),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
        ("192.0.2.1:55", "192.0.2.1:56", True),
        ("192.0.2.1:55", "192.0.2.2:55", False),
        ("[2001:db8:1:2::1]:55", "2001:db8:1:2::2", True),
        ("[2001:db8:1:2::1]:55", "[2001:db8:1:3::1]:55", False),
    ],
)
def test_addresses_of_one_household_are_limited_together(
    address: str | None, other: str, is_same: bool
) -> None:
    assert (Visitor(address, None).network == Visitor(other, None).network) is is_same


def test_stored_name_of_a_browser_is_short_and_can_be_stored() -> None:
    assert Visitor(None, "a\0b" + "c" * 1000).shown_user_agent == "ab" + "c" * 298
    assert Visitor(None, None).shown_user_agent is None

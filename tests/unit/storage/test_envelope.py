import base64
import secrets
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.storage.envelope import DecryptionFailed, KeyRing, Sealed, UnusableKey, new_key

OWNER = "subscription/company/certificate"
ENCODED = "VGKfAa2b5LNCWzvvmHWpV3iCeIAs4zK/QFVOQ9cDrVI="


def entry(key: bytes, key_id: str = "k1") -> str:
    return f"{key_id}:{base64.b64encode(key).decode()}"


@pytest.fixture
def ring() -> KeyRing:
    return KeyRing.parse(new_key("k1"))


class TestParse:
    def test_the_first_key_of_the_ring_is_the_active_one(self) -> None:
        ring = KeyRing.parse(f"{new_key('new')}, {new_key('old')} ,")
        assert ring.active_id == "new"
        assert set(ring.keys) == {"new", "old"}

    @pytest.mark.parametrize("text", ["", " ", ",", " , ,"])
    def test_an_empty_ring_is_refused(self, text: str) -> None:
        with pytest.raises(UnusableKey, match="vazio"):
            KeyRing.parse(text)

    @pytest.mark.parametrize(
        "text",
        [
            "k1",
            "k1:",
            "k1:not base64!",
            "k1:AAAA=A",
            "k1:chave-não-ascii",
            ENCODED,
            f":{ENCODED}",
            f"{ENCODED}:k1",
        ],
    )
    def test_key_that_is_not_an_id_with_base64_is_refused(self, text: str) -> None:
        with pytest.raises(UnusableKey, match="nº 1 deve ser nome:base64 de 32 bytes"):
            KeyRing.parse(text)

    @pytest.mark.parametrize("length", [0, 1, 16, 31, 33, 64])
    def test_a_key_of_another_length_is_refused(self, length: int) -> None:
        with pytest.raises(UnusableKey, match="nº 1 deve ser nome:base64 de 32 bytes"):
            KeyRing.parse(entry(secrets.token_bytes(length)))

    @pytest.mark.parametrize(
        "placeholder",
        [
            bytes(32),
            b"\xff" * 32,
            b"changeme" * 4,
            b"0123456789abcdef" * 2,
            b"please-replace-me-with-a-new-key",
            bytes(range(32)),
            bytes(range(200, 216)) * 2,
        ],
    )
    def test_a_placeholder_is_refused(self, placeholder: bytes) -> None:
        with pytest.raises(UnusableKey, match="não é aleatória"):
            KeyRing.parse(entry(placeholder))

    def test_two_keys_with_one_id_are_refused(self) -> None:
        with pytest.raises(UnusableKey, match="mesmo nome"):
            KeyRing.parse(f"{new_key('k1')},{new_key('k1')}")

    def test_a_wrong_second_key_is_refused_by_its_position(self) -> None:
        with pytest.raises(UnusableKey, match="nº 2"):
            KeyRing.parse(f"{new_key('new')},old:AAAA")

    def test_no_message_and_no_repr_shows_a_key(self) -> None:
        text = new_key("k1")
        encoded = text.partition(":")[2]
        ring = KeyRing.parse(text)
        assert encoded not in repr(ring)
        assert repr(ring.keys["k1"]) not in repr(ring)
        for wrong in (f"{text},{text}", encoded, f"{encoded}:k1", f"{text}x"):
            with pytest.raises(UnusableKey) as refused:
                KeyRing.parse(wrong)
            assert encoded not in str(refused.value)


class TestNewKey:
    def test_a_new_key_makes_a_ring(self) -> None:
        assert KeyRing.parse(new_key("2026-11")).active_id == "2026-11"

    def test_no_two_keys_are_alike(self) -> None:
        assert len({new_key("k1") for _ in range(50)}) == 50


class TestSealAndOpen:
    @given(secret=st.binary(max_size=300), belongs_to=st.text(st.characters(codec="utf-8"), max_size=60))
    def test_sealed_value_opens(self, secret: bytes, belongs_to: str) -> None:
        ring = KeyRing.parse(new_key("k1"))
        assert ring.open(ring.seal(secret, belongs_to), belongs_to) == secret

    def test_the_sealed_bytes_do_not_hold_the_secret(self, ring: KeyRing) -> None:
        assert b"a well kept secret" not in ring.seal(b"a well kept secret", OWNER).content

    def test_sealing_a_secret_twice_gives_different_bytes(self, ring: KeyRing) -> None:
        assert ring.seal(b"secret", OWNER) != ring.seal(b"secret", OWNER)

    def test_a_value_sealed_for_one_owner_does_not_open_for_another(self, ring: KeyRing) -> None:
        with pytest.raises(DecryptionFailed):
            ring.open(ring.seal(b"secret", OWNER), "subscription/another company/certificate")

    def test_no_byte_can_be_altered(self, ring: KeyRing) -> None:
        sealed = ring.seal(b"secret", OWNER)
        for position in range(len(sealed.content)):
            altered = bytearray(sealed.content)
            altered[position] ^= 1
            with pytest.raises(DecryptionFailed):
                ring.open(replace(sealed, content=bytes(altered)), OWNER)

    def test_no_byte_can_be_cut_off(self, ring: KeyRing) -> None:
        sealed = ring.seal(b"secret", OWNER)
        for length in range(len(sealed.content)):
            with pytest.raises(DecryptionFailed):
                ring.open(replace(sealed, content=sealed.content[:length]), OWNER)

    def test_halves_of_two_sealed_values_do_not_fit_together(self, ring: KeyRing) -> None:
        first, second = ring.seal(b"secret", OWNER), ring.seal(b"secret", OWNER)
        with pytest.raises(DecryptionFailed):
            ring.open(replace(first, content=first.content[:60] + second.content[60:]), OWNER)

    def test_a_key_that_is_not_in_the_ring_is_named(self, ring: KeyRing) -> None:
        with pytest.raises(DecryptionFailed, match="a chave 'gone' não está entre elas"):
            ring.open(Sealed("gone", ring.seal(b"secret", OWNER).content), OWNER)

    def test_another_key_with_the_same_id_does_not_open(self, ring: KeyRing) -> None:
        with pytest.raises(DecryptionFailed, match="a chave não é a que o selou"):
            KeyRing.parse(new_key("k1")).open(ring.seal(b"secret", OWNER), OWNER)


class TestRewrap:
    def test_rewrapped_secret_opens_without_the_old_key(self) -> None:
        old, new = new_key("old"), new_key("new")
        sealed = KeyRing.parse(old).seal(b"secret", OWNER)
        rewrapped = KeyRing.parse(f"{new},{old}").rewrap(sealed, OWNER)
        assert rewrapped.key_id == "new"
        assert rewrapped.content[60:] == sealed.content[60:]
        assert KeyRing.parse(new).open(rewrapped, OWNER) == b"secret"

    def test_rewrapped_secret_does_not_open_with_the_old_key_alone(self) -> None:
        old, new = new_key("old"), new_key("new")
        rewrapped = KeyRing.parse(f"{new},{old}").rewrap(KeyRing.parse(old).seal(b"secret", OWNER), OWNER)
        with pytest.raises(DecryptionFailed):
            KeyRing.parse(old).open(rewrapped, OWNER)

    def test_a_value_is_not_rewrapped_for_another_owner(self, ring: KeyRing) -> None:
        with pytest.raises(DecryptionFailed):
            ring.rewrap(ring.seal(b"secret", OWNER), "somebody else")

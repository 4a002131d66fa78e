"""The index of words: what a search finds, and in which order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.service.code_search_index import folded, index_of, words_of

WORDS = st.text("abcçães1", min_size=1, max_size=5)
TEXTS = st.lists(st.lists(WORDS, max_size=5).map(" ".join), max_size=12)


def ranked(texts: list[str], search: str) -> list[str]:
    return [texts[place] for place in index_of(texts).ranked(words_of(search))]


class TestWords:
    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("Café TORRADO, café", ["cafe", "torrado"]),
            ("cana-de-açúcar (cru)", ["cana", "de", "acucar", "cru"]),
            ("até 3,5 kg; 140 cm²", ["ate", "3", "5", "kg", "140", "cm2"]),
            (" - ", []),
        ],
    )
    def test_are_folded_and_told_once(self, text: str, words: list[str]) -> None:
        assert words_of(text) == words

    @given(text=st.text(max_size=30))
    def test_folded_once_are_folded_for_good(self, text: str) -> None:
        assert words_of(folded(text)) == words_of(text)


class TestRanking:
    def test_puts_whole_words_before_beginnings_before_insides(self) -> None:
        texts = ["escafeder", "cafeteira", "um bom café"]
        assert ranked(texts, "CAFE") == ["um bom café", "cafeteira", "escafeder"]

    def test_takes_a_plural_for_the_whole_word(self) -> None:
        assert ranked(["cervejaria", "cervejas"], "cerveja") == ["cervejas", "cervejaria"]
        assert ranked(["motoristas", "motores"], "motor") == ["motores", "motoristas"]

    def test_puts_what_begins_with_a_word_before_what_only_has_it(self) -> None:
        assert ranked(["chá e café", "café e chá", "leite e café"], "café") == [
            "café e chá",
            "chá e café",
            "leite e café",
        ]

    def test_does_not_take_a_short_word_for_what_a_text_is_about(self) -> None:
        texts = ["devolução de venda", "venda de bens"]
        assert ranked(texts, "venda de") == ["venda de bens", "devolução de venda"]

    def test_counts_each_word_of_the_search(self) -> None:
        texts = ["cafeteira torrada", "cafeteira torradeira", "café torrado", "café torradeira"]
        assert ranked(texts, "torrad cafe") == [
            "café torrado",
            "café torradeira",
            "cafeteira torrada",
            "cafeteira torradeira",
        ]

    def test_leaves_equals_in_their_places(self) -> None:
        texts = ["vinho b", "vinho a", "vinho c"]
        assert index_of(texts).ranked(["vinho"]) == [0, 1, 2]

    def test_takes_one_or_two_letters_only_for_a_whole_word(self) -> None:
        assert ranked(["de kgf", "pkg", "um kg"], "kg") == ["um kg"]

    def test_finds_nothing_among_no_texts(self) -> None:
        assert index_of([]).ranked(["a"]) == []

    @given(texts=TEXTS, search=st.lists(WORDS, min_size=1, max_size=3))
    def test_finds_exactly_the_texts_that_have_every_word(self, texts: list[str], search: list[str]) -> None:
        words = words_of(" ".join(search))
        assert sorted(index_of(texts).ranked(words)) == [
            place for place, text in enumerate(texts) if all(has(text, word) for word in words)
        ]

    @given(texts=TEXTS, search=st.lists(WORDS, min_size=1, max_size=3))
    def test_is_the_same_for_words_in_any_order(self, texts: list[str], search: list[str]) -> None:
        index, words = index_of(texts), words_of(" ".join(search))
        assert index.ranked(words) == index.ranked(words[::-1])


def has(text: str, word: str) -> bool:
    """The plain way, looking at every text."""
    is_part = len(word) >= 3
    return any(word in own if is_part else own in (word, f"{word}s", f"{word}es") for own in words_of(text))

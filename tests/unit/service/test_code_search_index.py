"""The word index: which texts a search finds, and in which order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.service.catalog.code_search import build_word_index, folded, words_of

WORDS = st.text("abcçães1", min_size=1, max_size=5)
TEXTS = st.lists(st.lists(WORDS, max_size=5).map(" ".join), max_size=12)


def ranked(texts: list[str], search: str) -> list[str]:
    return [texts[place] for place in build_word_index(texts).ranked(words_of(search))]


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
    def test_words_are_folded_and_listed_once(self, text: str, words: list[str]) -> None:
        assert words_of(text) == words

    @given(text=st.text(max_size=30))
    def test_folding_twice_changes_nothing(self, text: str) -> None:
        assert words_of(folded(text)) == words_of(text)


class TestRanking:
    def test_whole_words_rank_before_prefixes_and_those_before_inner_parts(self) -> None:
        texts = ["escafeder", "cafeteira", "um bom café"]
        assert ranked(texts, "CAFE") == ["um bom café", "cafeteira", "escafeder"]

    def test_plural_ranks_as_the_whole_word(self) -> None:
        assert ranked(["cervejaria", "cervejas"], "cerveja") == ["cervejas", "cervejaria"]
        assert ranked(["motoristas", "motores"], "motor") == ["motores", "motoristas"]

    def test_text_that_begins_with_the_word_ranks_before_others_that_have_it(self) -> None:
        assert ranked(["chá e café", "café e chá", "leite e café"], "café") == [
            "café e chá",
            "chá e café",
            "leite e café",
        ]

    def test_short_word_at_the_beginning_does_not_raise_the_rank(self) -> None:
        texts = ["devolução de venda", "venda de bens"]
        assert ranked(texts, "venda de") == ["venda de bens", "devolução de venda"]

    def test_each_word_of_the_search_counts(self) -> None:
        texts = ["cafeteira torrada", "cafeteira torradeira", "café torrado", "café torradeira"]
        assert ranked(texts, "torrad cafe") == [
            "café torrado",
            "café torradeira",
            "cafeteira torrada",
            "cafeteira torradeira",
        ]

    def test_equal_ranks_keep_their_order(self) -> None:
        texts = ["vinho b", "vinho a", "vinho c"]
        assert build_word_index(texts).ranked(["vinho"]) == [0, 1, 2]

    def test_one_or_two_letters_match_whole_words_only(self) -> None:
        assert ranked(["de kgf", "pkg", "um kg"], "kg") == ["um kg"]

    def test_empty_index_finds_nothing(self) -> None:
        assert build_word_index([]).ranked(["a"]) == []

    @given(texts=TEXTS, search=st.lists(WORDS, min_size=1, max_size=3))
    def test_search_finds_exactly_the_texts_that_have_every_word(
        self, texts: list[str], search: list[str]
    ) -> None:
        words = words_of(" ".join(search))
        assert sorted(build_word_index(texts).ranked(words)) == [
            place for place, text in enumerate(texts) if all(has(text, word) for word in words)
        ]

    @given(texts=TEXTS, search=st.lists(WORDS, min_size=1, max_size=3))
    def test_ranking_does_not_depend_on_the_order_of_words(self, texts: list[str], search: list[str]) -> None:
        index, words = build_word_index(texts), words_of(" ".join(search))
        assert index.ranked(words) == index.ranked(words[::-1])


def has(text: str, word: str) -> bool:
    """The reference implementation: looks at every word of the text."""
    is_part = len(word) >= 3
    return any(word in own if is_part else own in (word, f"{word}s", f"{word}es") for own in words_of(text))

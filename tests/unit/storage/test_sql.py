"""Named parameters of SQL."""

import pytest

from carimbo.storage.sql import NamedSql


def test_names_are_numbered_in_the_order_of_their_first_use() -> None:
    statement = NamedSql("update t set a = :a, b = :b where a = :a")
    assert statement.text == "update t set a = $1, b = $2 where a = $1"
    assert statement.arguments({"b": 2, "a": 1}) == [1, 2]


def test_positional_parameters_keep_their_numbers() -> None:
    statement = NamedSql("update t set a = :a where id = $2 and owner = $1")
    assert statement.text == "update t set a = $3 where id = $2 and owner = $1"


def test_casts_and_quoted_colons_are_not_parameters() -> None:
    sql = "select :a::text, 'key:' || id || ':' || $1::uuid, '{a: 1}'"
    assert NamedSql(sql).text == "select $2::text, 'key:' || id || ':' || $1::uuid, '{a: 1}'"


def test_values_of_other_names_are_left_out() -> None:
    assert NamedSql("select :a").arguments({"a": 1, "b": 2}) == [1]


def test_a_missing_value_is_an_error() -> None:
    with pytest.raises(KeyError, match="b"):
        NamedSql("select :a, :b").arguments({"a": 1})

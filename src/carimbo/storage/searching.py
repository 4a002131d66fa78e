"""How a list of the catalog is searched: every word of a search occurs in what a row is known by."""


def matches_search(place: int) -> str:
    r"""SQL that is true of rows with a `searched` column that a search, the parameter at a place, finds.

    A search of null finds all rows, and one of punctuation alone none, as it has no patterns. Words keep no
    punctuation, and so no wildcard of LIKE; the rows' own parts are apart by a space, which no word has: none
    is found across two. Patterns are made in a query of their own, once and not for every row.
    """
    words = f"regexp_split_to_table(${place}::text, '\\s+') as word where searchable(word) <> ''"
    patterns = f"(select array_agg('%' || searchable(word) || '%') from {words})::text[]"
    return f"(${place}::text is null or searched like all ({patterns}))"

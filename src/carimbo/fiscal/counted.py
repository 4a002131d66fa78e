"""Numbers in sentences, each with the noun that it counts."""


def counted(number: int | str, one: str, many: str) -> str:
    """Write how many there are of something: “1 item”, “2 itens”."""
    return f"{number} {one if str(number) == '1' else many}"

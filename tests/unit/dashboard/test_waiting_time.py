"""How pages say how long to wait."""

import pytest

from carimbo.dashboard.shown import waiting_time


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(1, "1 segundo"), (28, "28 segundos"), (119, "119 segundos"), (120, "2 minutos"), (121, "3 minutos")],
)
def test_wait_is_never_shown_shorter_than_it_is(seconds: int, text: str) -> None:
    assert waiting_time(seconds) == text

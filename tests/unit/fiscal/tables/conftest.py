"""An operator's folder of tables, which is used until the test ends."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from carimbo.fiscal.tables.table import use_tables_of

Provide = Callable[[str, str | bytes], Path]


@pytest.fixture
def provide(tmp_path: Path) -> Iterator[Provide]:
    """Writes a table into an operator's folder and uses that folder."""

    def write(name: str, text: str | bytes) -> Path:
        file = tmp_path / f"{name}.csv"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        use_tables_of(tmp_path)
        return file

    yield write
    use_tables_of(None)

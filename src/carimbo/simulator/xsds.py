"""The official XSDs that messages are held against."""

from pathlib import Path

from lxml import etree

from carimbo.fiscal.schemas.catalog import Schema
from carimbo.fiscal.schemas.files import compiled, files_in_force


class Xsds:
    """The XSDs in force, the operator's newer ones where there are any; each is compiled once."""

    def __init__(self, folder: Path | None = None) -> None:
        self._files = files_in_force(folder)
        self._compiled: dict[Schema, etree.XMLSchema] = {}

    def of(self, schema: Schema) -> etree.XMLSchema:
        """The compiled schema of a message."""
        if schema not in self._compiled:
            self._compiled[schema] = compiled(self._files[schema])
        return self._compiled[schema]


BUILT_IN = Xsds()
"""What a simulator has that is told of no others."""

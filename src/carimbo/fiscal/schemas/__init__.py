"""The official XSDs: messages are held against them before they leave; errors come in our field names."""

import threading
from pathlib import Path
from typing import Any

from lxml import etree

from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas.catalog import Schema
from carimbo.fiscal.schemas.explanation import explained
from carimbo.fiscal.schemas.files import (
    PACKAGE,
    SchemaFile,
    SchemaUnusable,
    compiled,
    files_in_force,
)

__all__ = ["PACKAGE", "Schema", "SchemaFile", "SchemaUnusable", "Schemas"]


class Schemas:
    """Official XSDs, nfelib's or newer ones from the operator's folder, each compiled once per thread."""

    def __init__(self, folder: Path | None = None) -> None:
        self._files = files_in_force(folder)
        # Threads that share an XMLSchema get right verdicts but each other's errors, for it keeps one error
        # log; a lock would make validation, which needs no GIL, wait in line.
        self._of_this_thread = threading.local()

    def file_of(self, schema: Schema) -> SchemaFile:
        """The file that is in force for a message."""
        return self._files[schema]

    def compiled(self, schema: Schema) -> etree.XMLSchema:
        """This thread's compiled schema of a message; the first call in a thread takes about 15 ms."""
        ready: etree.XMLSchema | None = getattr(self._of_this_thread, schema.name, None)
        if ready is None:
            ready = compiled(self._files[schema])
            setattr(self._of_this_thread, schema.name, ready)
        return ready

    def problems(
        self, schema: Schema, root: etree._Element, record: type | None = None
    ) -> tuple[Problem, ...]:
        """What the schema refuses in a message, one problem per element; empty when it is valid.

        `record` is the layout class of the element that was made of the caller's fields, such as `infNFe`:
        problems in that element get the JSON path of their field.
        """
        validator = self.compiled(schema)
        if validator.validate(root):
            return ()
        errors: Any = validator.error_log
        return explained(errors, root, record, self._files[schema])

"""Validation against the official XSDs, with errors in the names of the caller's fields."""

import threading
from pathlib import Path
from typing import Any

from lxml import etree

from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas.explanation import explain_errors
from carimbo.fiscal.schemas.files import (
    PACKAGE,
    Schema,
    SchemaFile,
    SchemaUnusable,
    compile_schema,
    files_in_force,
)

__all__ = ["PACKAGE", "Schema", "SchemaFile", "SchemaUnusable", "Schemas"]


class Schemas:
    """The official XSDs of nfelib, or newer ones of the operator, each compiled once per thread."""

    def __init__(self, folder: Path | None = None) -> None:
        self._files = files_in_force(folder)
        # Threads can't share an XMLSchema: it has a single error log, so they would see each other's errors.
        # A lock would make validation, which does not need the GIL, wait.
        self._of_this_thread = threading.local()

    def file_of(self, schema: Schema) -> SchemaFile:
        """Returns the file in force for a message."""
        return self._files[schema]

    def compiled(self, schema: Schema) -> etree.XMLSchema:
        """Returns this thread's compiled schema of a message; the first call takes about 15 ms."""
        ready: etree.XMLSchema | None = getattr(self._of_this_thread, schema.name, None)
        if ready is None:
            ready = compile_schema(self._files[schema])
            setattr(self._of_this_thread, schema.name, ready)
        return ready

    def problems(
        self, schema: Schema, root: etree._Element, record: type | None = None
    ) -> tuple[Problem, ...]:
        """Returns the errors of a message, one problem per element; empty if it is valid.

        `record` is the layout class of the element that contains the caller's fields, such as `infNFe`:
        problems in that element get the JSON path of their field.
        """
        validator = self.compiled(schema)
        if validator.validate(root):
            return ()
        errors: Any = validator.error_log
        return explain_errors(errors, root, record, self._files[schema])

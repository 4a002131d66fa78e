"""The examples of the repository for tests: each is read, parsed, issued and reviewed once in a process.

Every list here holds names of files, so that nothing is read or built when tests are collected.
"""

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from functools import cache, cached_property, partial
from typing import Any, TypeVar

import golden
import pytest
from golden import FOLDER, Example, examples
from lxml import etree

from carimbo.fiscal.issuance import Preview, Review
from carimbo.fiscal.layouts.cte_v4.archived import read_archived_waybill
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from carimbo.fiscal.layouts.mdfe_v3.archived import ArchivedManifest, read_archived_manifest
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE, Invoice, read_invoice
from carimbo.fiscal.parties.company_file import CompanyFile, read_json_file

KINDS = ("nfe", "nfce", "nfse", "cte", "cteOs", "mdfe")
FILES = sorted(
    str(file.relative_to(FOLDER))
    for document_type in KINDS
    for file in (FOLDER / document_type).rglob("*.json")
)
DOCUMENTS = [file for file in FILES if "/events/" not in file]
INVOICES = [file for file in DOCUMENTS if file.startswith(("nfe/", "nfce/"))]
NOTES = [file for file in DOCUMENTS if file.startswith("nfse/")]
WAYBILLS = [file for file in DOCUMENTS if file.startswith("cte/")]
OS_WAYBILLS = [file for file in DOCUMENTS if file.startswith("cteOs/")]
MANIFESTS = [file for file in DOCUMENTS if file.startswith("mdfe/")]
EVENTS_OF_NOTES = [file for file in FILES if file.startswith("nfse/events/")]
EVENTS_OF_MANIFESTS = [file for file in FILES if file.startswith("mdfe/events/")]

T = TypeVar("T")


class GoldenDocument:
    """An example and everything derived from it; tests that change the tree must copy it."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.document_type = file.partition("/")[0]

    @cached_property
    def example(self) -> Example:
        """Its entry of the index."""
        return index()[self.file]

    @cached_property
    def body(self) -> dict[str, Any]:
        """The request."""
        body: dict[str, Any] = read_json_file(FOLDER / self.file)
        return body

    @cached_property
    def company(self) -> CompanyFile:
        """The company that issues it."""
        return CompanyFile.model_validate(read_json_file(FOLDER / self.example.company))

    @cached_property
    def xml(self) -> bytes:
        """The signed XML in the repository."""
        return (FOLDER / self.file).with_suffix(".xml").read_bytes()

    @cached_property
    def root(self) -> etree._Element:
        """The tree of that XML."""
        return etree.fromstring(self.xml)

    @cached_property
    def issued(self) -> bytes:
        """The signed XML as the library makes it now."""
        return golden.issued(self.example)

    @cached_property
    def review(self) -> Review:
        """The library's review of the request before it is issued."""
        return golden.reviewed(self.example)

    @cached_property
    def preview(self) -> Preview:
        """The document that the review shows."""
        assert self.review.preview, self.review.problems
        return self.review.preview

    @cached_property
    def invoice(self) -> Invoice:
        """The NF-e or NFC-e that the XML is read as."""
        return read_invoice(self.xml)

    @cached_property
    def waybill(self) -> Waybill:
        """The CT-e that the XML is read as."""
        return read_archived_waybill(self.xml).waybill

    @cached_property
    def manifest(self) -> ArchivedManifest:
        """The MDF-e that the XML is read as."""
        return read_archived_manifest(self.xml)


@cache
def index() -> dict[str, Example]:
    """Returns every line of the index by the name of its file."""
    return {example.file: example for example in examples()}


@cache
def golden_document(file: str) -> GoldenDocument:
    """Returns the example with a name such as `nfe/minimal.json`."""
    return GoldenDocument(file)


def amounts(root: etree._Element, tag: str) -> list[Decimal]:
    """Returns the amounts that all elements of a name hold, in a document of goods."""
    return [Decimal(element.text or "0") for element in root.iter(f"{{{NAMESPACE}}}{tag}")]


def ask_all(name: str, subject: T, questions: Iterable[Callable[[T], object]]) -> None:
    """Asks every question, and fails with the names and answers of all that went wrong.

    A question is a function that fails when the answer is wrong; its own name says what was asked.
    """
    check_all(name, {question.__name__: partial(question, subject) for question in questions})


def check_all(name: str, checks: Mapping[str, Callable[[], object]]) -> None:
    """Runs every check, and fails with the names and errors of all that failed."""
    wrong = {}
    for what, check in checks.items():
        try:
            check()
        except (Exception, pytest.fail.Exception) as error:
            wrong[what] = f"{type(error).__name__}: {error}"
    if wrong:
        report = "\n\n".join(f"{what}\n{error}" for what, error in wrong.items())
        pytest.fail(f"{name}: {len(wrong)} wrong\n\n{report}", pytrace=False)

"""Errors of libxml2 as problems, in Portuguese and in the names of the caller's fields."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lxml import etree

from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem
from carimbo.fiscal.schemas.content_model import (
    ContentError,
    MissingElement,
    RepeatedElement,
    content_errors,
    content_model_of,
)
from carimbo.fiscal.schemas.files import SchemaFile
from carimbo.fiscal.schemas.xsd_errors import (
    Explanation,
    XsdError,
    explain_misplaced,
    explain_value,
    json_path_of,
    located_errors,
    rank,
    tags_to,
)
from carimbo.fiscal.xml_reading import local_name

_MAX_NAMED = 8


def explain_group(
    error: XsdError, root: etree._Element, record: type | None, file: SchemaFile
) -> Iterator[Explanation]:
    """Yields what a group of elements lacks or has too much of; nothing if only their order is error."""
    parent = error.element if "Missing child" in error.text else error.element.getparent()
    content = None if parent is None else content_model_of(file).inside(tags_to(root, parent))
    if parent is None or content is None:
        return
    group = _Group(record, parent)
    tags = [local_name(child) for child in parent.iterchildren("*")]
    for content_error in content_errors(content, tags):
        yield group.explain(content_error)


@dataclass(frozen=True, slots=True)
class _Group:
    """A group of elements, with the caller's fields that they come from."""

    record: type | None
    parent: etree._Element

    @property
    def path(self) -> str:
        return json_path_of(self.record, self.parent, [])

    def path_of(self, tag: str) -> str:
        return json_path_of(self.record, self.parent, [(tag, 0)]).removesuffix("[0]")

    def name_of(self, tag: str) -> str:
        """Returns the caller's name of an element, or the official name if it has none."""
        return self.path_of(tag).removeprefix(self.path).lstrip(".") or tag

    def names_of(self, tags: Sequence[str], last: str) -> str:
        names = list(dict.fromkeys(map(self.name_of, tags)))
        if len(names) > _MAX_NAMED:
            names = [*names[: _MAX_NAMED - 1], "outros" if last == "e" else "outro"]
        return f" {last} ".join(filter(None, (", ".join(names[:-1]), names[-1])))

    def explain(self, error: ContentError) -> Explanation:
        if isinstance(error, RepeatedElement):
            path = self.path_of(error.tag)
            shown = f"{error.tag} está" if path == self.path else "Está"
            return Explanation(path, f"{shown} mais de uma vez onde cabe uma só.", error.tag)
        if isinstance(error, MissingElement):
            return self.explain_missing(error)
        return self.explain_excluded(error.tag, error.beside)

    def explain_missing(self, missing: MissingElement) -> Explanation:
        paths = {self.path_of(tag) for tag in missing.tags}
        path = paths.pop() if len(paths) == 1 else self.path
        beside = f" com {self.names_of(missing.beside, 'e')}" if missing.beside else ""
        if path == self.path:
            wanted = self.names_of(missing.tags, "ou")
            return Explanation(path, f"Falta {wanted}{beside and ', exigido'}{beside}.", missing.tags[0])
        return Explanation(path, f"Obrigatório{beside}.", missing.tags[0])

    def explain_excluded(self, tag: str, beside: str) -> Explanation:
        path, other = self.path_of(tag), self.path_of(beside)
        shown = f"{tag} não se usa" if path in (self.path, other) else "Não se usa"
        named = beside if path == other else self.name_of(beside)
        return Explanation(path, f"{shown} com {named}: informe só um dos dois.", tag)


def explain_errors(
    errors: Iterable[Any], root: etree._Element, record: type | None, file: SchemaFile
) -> tuple[Problem, ...]:
    """Returns one problem per element or attribute, in the order of the document."""
    problems = [
        Problem(
            SCHEMA_PROBLEM,
            explanation.path,
            explanation.message,
            hint=explanation.hint,
            source=f"XSD {file.path.name}, elemento {explanation.subject}",
        )
        for error in _most_specific(located_errors(errors, root, record))
        for explanation in _explanations_of(error, root, record, file)
    ]
    # The missing elements of a group are reported for each of its unexpected elements.
    return tuple(dict.fromkeys(problems))


def _explanations_of(
    error: XsdError, root: etree._Element, record: type | None, file: SchemaFile
) -> Iterable[Explanation]:
    if error.kind != "ELEMENT_CONTENT":
        return [explain_value(error)]
    explanations = list(explain_group(error, root, record, file))
    return explanations or [explain_misplaced(error)]


def _most_specific(errors: Iterable[XsdError]) -> Iterable[XsdError]:
    """libxml2 reports every facet and the type; only the most specific error of a place is kept."""
    kept: dict[tuple[etree._Element, str | None], XsdError] = {}
    for error in errors:
        place = (error.element, error.attribute)
        if place not in kept or rank(error) < rank(kept[place]):
            kept[place] = error
    return kept.values()

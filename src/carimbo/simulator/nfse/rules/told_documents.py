"""Rules that each document told in a declaration is held to: the first that breaks one is named."""

from collections.abc import Callable

from carimbo.simulator.group import Group
from carimbo.simulator.nfse.case import NoteCase
from carimbo.simulator.nfse.rules.persons import Check
from carimbo.simulator.rule import Finding, Rule

DocumentCheck = Callable[[Group, NoteCase], bool]


def rule_of_each(path: str, tag: str, code: str, is_broken: DocumentCheck) -> Rule[NoteCase]:
    """A rule over the documents of this tag in the group at a path."""

    def is_told(case: NoteCase) -> bool:
        return case.has(path)

    def first_broken(case: NoteCase) -> Finding:
        documents = case.group(path).all(tag)
        places = (place for place, one in enumerate(documents, 1) if is_broken(one, case))
        return next((f"{tag}[{place}]" for place in places), None)

    return Rule(code, first_broken, is_told)


def of_document(check: Check) -> DocumentCheck:
    """A check of a person, of one whom a document names."""
    return lambda document, case: check(document)

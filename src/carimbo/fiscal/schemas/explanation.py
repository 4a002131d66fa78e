"""What libxml2 says about an invalid message, retold in Portuguese and in the caller's field names."""

from collections.abc import Iterable
from typing import Any

from lxml import etree

from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem
from carimbo.fiscal.schemas.complaints import Complaint, complaints
from carimbo.fiscal.schemas.files import SchemaFile
from carimbo.fiscal.schemas.group_faults import faults_of_group
from carimbo.fiscal.schemas.wording import Told, gravity, in_words, out_of_place


def explained(
    errors: Iterable[Any], root: etree._Element, record: type | None, file: SchemaFile
) -> tuple[Problem, ...]:
    """One problem per element or attribute, in the order of the document."""
    told = [
        Problem(
            SCHEMA_PROBLEM,
            one.path,
            one.message,
            hint=one.hint,
            source=f"XSD {file.path.name}, elemento {one.subject}",
        )
        for complaint in _gravest(complaints(errors, root, record))
        for one in _told(complaint, root, record, file)
    ]
    # What a group lacks is the same for each of its elements that was not expected.
    return tuple(dict.fromkeys(told))


def _told(
    complaint: Complaint, root: etree._Element, record: type | None, file: SchemaFile
) -> Iterable[Told]:
    if complaint.kind != "ELEMENT_CONTENT":
        return [in_words(complaint)]
    told = list(faults_of_group(complaint, root, record, file))
    return told or [out_of_place(complaint)]


def _gravest(found: Iterable[Complaint]) -> Iterable[Complaint]:
    """libxml2 complains of every facet and of the type; the complaint that says most is enough."""
    kept: dict[tuple[etree._Element, str | None], Complaint] = {}
    for complaint in found:
        place = (complaint.element, complaint.attribute)
        if place not in kept or gravity(complaint) < gravity(kept[place]):
            kept[place] = complaint
    return kept.values()

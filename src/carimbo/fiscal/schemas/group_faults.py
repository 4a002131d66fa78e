"""Elements of a group that do not go together, told in Portuguese and in the caller's field names."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lxml import etree

from carimbo.fiscal.schemas.complaints import Complaint
from carimbo.fiscal.schemas.content import Fault, Lack, Surplus, content_of, faults
from carimbo.fiscal.schemas.files import SchemaFile
from carimbo.fiscal.schemas.places import located, way_to
from carimbo.fiscal.schemas.wording import Told
from carimbo.fiscal.xml_reading import local_name

_MOST_NAMED = 8


def faults_of_group(
    complaint: Complaint, root: etree._Element, record: type | None, file: SchemaFile
) -> Iterator[Told]:
    """What the elements of a group lack and have too much of; nothing when only their order is wrong."""
    parent = complaint.element if "Missing child" in complaint.text else complaint.element.getparent()
    content = None if parent is None else content_of(file).inside(way_to(root, parent))
    if parent is None or content is None:
        return
    group = _Group(record, parent)
    for wrong in faults(content, [local_name(child) for child in parent.iterchildren("*")]):
        yield group.told(wrong)


@dataclass(frozen=True, slots=True)
class _Group:
    """A group, with the fields that its elements were made of."""

    record: type | None
    parent: etree._Element

    @property
    def path(self) -> str:
        return located(self.record, self.parent, [])

    def path_of(self, tag: str) -> str:
        return located(self.record, self.parent, [(tag, 0)]).removesuffix("[0]")

    def name_of(self, tag: str) -> str:
        """The caller's name of an element, or the official one where it has none."""
        return self.path_of(tag).removeprefix(self.path).lstrip(".") or tag

    def names_of(self, tags: Sequence[str], last: str) -> str:
        names = list(dict.fromkeys(map(self.name_of, tags)))
        if len(names) > _MOST_NAMED:
            names = [*names[: _MOST_NAMED - 1], "outros" if last == "e" else "outro"]
        return f" {last} ".join(filter(None, (", ".join(names[:-1]), names[-1])))

    def told(self, wrong: Fault) -> Told:
        if isinstance(wrong, Surplus):
            path = self.path_of(wrong.tag)
            shown = f"{wrong.tag} está" if path == self.path else "Está"
            return Told(path, f"{shown} mais de uma vez onde cabe uma só.", wrong.tag)
        return self.lacking(wrong) if isinstance(wrong, Lack) else self.having_too_much(*wrong)

    def lacking(self, lack: Lack) -> Told:
        paths = {self.path_of(tag) for tag in lack.tags}
        path = paths.pop() if len(paths) == 1 else self.path
        beside = f" com {self.names_of(lack.beside, 'e')}" if lack.beside else ""
        if path == self.path:
            wanted = self.names_of(lack.tags, "ou")
            return Told(path, f"Falta {wanted}{beside and ', exigido'}{beside}.", lack.tags[0])
        return Told(path, f"Obrigatório{beside}.", lack.tags[0])

    def having_too_much(self, tag: str, beside: str) -> Told:
        path, other = self.path_of(tag), self.path_of(beside)
        shown = f"{tag} não se usa" if path in (self.path, other) else "Não se usa"
        named = beside if path == other else self.name_of(beside)
        return Told(path, f"{shown} com {named}: informe só um dos dois.", tag)

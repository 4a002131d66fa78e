"""Fields of a body as a tree of objects, so that a page can fold long tables."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from carimbo.api.docs_model import Field

LONGEST_TABLE = 40
"""A body with more fields than this is shown object by object."""


@dataclass(frozen=True)
class FieldGroup:
    """The fields directly inside an object, and the objects among them that have fields of their own."""

    path: str
    fields: tuple[Field, ...]
    groups: tuple["FieldGroup", ...] = ()

    @property
    def anchor(self) -> str:
        """The path without the marks of lists, which addresses would have to escape."""
        return self.path.replace("[]", "")

    @property
    def size(self) -> int:
        """How many fields there are, with those of all objects inside."""
        return len(self.fields) + sum(group.size for group in self.groups)


def field_groups(fields: Sequence[Field]) -> FieldGroup:
    """Puts the fields of a body under the objects that hold them; a short body stays one table."""
    if len(fields) <= LONGEST_TABLE:
        return FieldGroup("", tuple(fields))
    by_parent: defaultdict[str, list[Field]] = defaultdict(list)
    for field in fields:
        by_parent[field.path.rpartition(".")[0]].append(field)

    def group(path: str) -> FieldGroup:
        inside = dict.fromkeys(f"{field.path}{end}" for field in by_parent[path] for end in ("", "[]"))
        return FieldGroup(
            path, tuple(by_parent[path]), tuple(group(inner) for inner in inside if inner in by_parent)
        )

    return group("")

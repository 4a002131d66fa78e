"""A form for a request body as a template shows it: inputs with their labels, texts and problems."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from carimbo.dashboard.body_form import REST, TypedForm, kind_of, name_in, read_number
from carimbo.fiscal.body.form_layout import (
    FieldKind,
    FormField,
    FormLayout,
    FormList,
    FormSection,
    field_facts,
)
from carimbo.service.errors import Refusal

_OTHER_FIELDS = "Outros campos, em JSON"
_NUMBER_HINT = "Escreva o número com vírgula, por exemplo 1234,50."
_HTML_TYPES: Mapping[FieldKind, tuple[str, str]] = {
    FieldKind.DAY: (r"\d{4}-\d\d-\d\d", "date"),
    FieldKind.MOMENT: (r"\d{4}-\d\d-\d\dT\d\d:\d\d", "datetime-local"),
    FieldKind.SECRET: (".*", "password"),
    FieldKind.FILE: ("", "file"),
}
_FLAG = re.compile(r"\b(?:true|false)\b")
_FLAG_OPTIONS = (("true", "Sim"), ("false", "Não"))
_FLAG_WORDS = dict(_FLAG_OPTIONS)
_QUOTED = re.compile(r'"([A-Za-z]+)"')
_INDEX = re.compile(r"\[\d*\]")
_JSON_NAME = re.compile(r"(?<![\w./{])[a-z][A-Za-z]*(?:\[\d*\])?(?:\.[a-z][A-Za-z]*(?:\[\d*\])?)*(?![\w/}])")


@dataclass(frozen=True)
class FormProblem:
    """A problem of a body, with the path of its field and the advice what to do about it."""

    path: str
    text: str
    hint: str | None = None


@dataclass(frozen=True, kw_only=True)
class FormInput:
    """An input of a form."""

    name: str
    label: str
    hint: str
    kind: FieldKind
    text: str
    options: Sequence[tuple[str, str]]
    is_required: bool
    max_length: int | None
    problems: Sequence[FormProblem]
    accept: str = ""

    @property
    def id(self) -> str:
        """The id of its element."""
        return "campo-" + re.sub(r"[\[\].]+", "-", self.name).rstrip("-")

    @property
    def html_type(self) -> str:
        """The type of its element; a text that an element of its kind could not show gets a plain one."""
        pattern, html_type = _HTML_TYPES.get(self.kind, ("", "text"))
        return html_type if re.fullmatch(pattern, self.text) or not self.text else "text"


@dataclass(frozen=True, kw_only=True)
class FormRow:
    """An entry of a list."""

    number: int
    inputs: Sequence[FormInput]
    rest: FormInput
    """What the entry has besides, in JSON."""


@dataclass(frozen=True, kw_only=True)
class FormRows:
    """A list with its entries."""

    list: FormList
    rows: Sequence[FormRow]
    problems: Sequence[FormProblem]


@dataclass(frozen=True, kw_only=True)
class ShownSection:
    """A section of a form."""

    title: str
    note: str
    is_open: bool
    parts: Sequence[FormInput | FormRows]


@dataclass(frozen=True, kw_only=True)
class FormView:
    """A form as a template shows it."""

    sections: Sequence[ShownSection]
    rest: FormInput
    """What the body has besides, in JSON."""
    problems: Sequence[FormProblem]
    """The problems that belong to no input, with those of lists as a whole."""
    marked: Sequence[FormInput] = field(default_factory=tuple)
    """The inputs with problems, for the summary above the form."""

    @property
    def has_problems(self) -> bool:
        """Whether anything is wrong."""
        return bool(self.problems or self.marked)


def problems_of(refusal: Refusal | None) -> list[FormProblem]:
    """Returns the problems of a refused body: its invalid fields and broken rules, or else its message."""
    if refusal is None:
        return []
    details = refusal.details or {}
    fields = [FormProblem(entry["field"], entry["error"]) for entry in details.get("fields", ())]
    rules = [
        FormProblem(rule["field"], rule["message"], rule.get("hint")) for rule in details.get("rules", ())
    ]
    return [*fields, *rules] or [FormProblem(str(details.get("field", "")), refusal.message)]


def view_form(typed: TypedForm, problems: Iterable[FormProblem] = ()) -> FormView:
    """Returns a typed form with its problems beside the inputs that cause them."""
    return _FormBuilder(typed, problems).build()


class _FormBuilder:
    """Puts problems beside their inputs: each goes to its own input, or to the nearest place around it."""

    def __init__(self, typed: TypedForm, problems: Iterable[FormProblem]) -> None:
        self._typed = typed
        self._layout = typed.layout
        self._marked: list[FormInput] = []
        self._by_name: dict[str, list[FormProblem]] = {}
        self._body_names = {each.alias or name for name, each in typed.layout.body.model_fields.items()}
        names = self._names()
        for problem in problems:
            in_words = FormProblem(
                problem.path,
                with_labels(problem.text, self._layout),
                problem.hint and with_labels(problem.hint, self._layout),
            )
            for name in self._places(problem.path, names):
                self._by_name.setdefault(name, []).append(in_words)

    def build(self) -> FormView:
        sections = [self._section(section) for section in self._layout.sections]
        rest = self._rest(REST)
        of_lists = [
            replace(problem, text=f"{form_list.title}: {problem.text}")
            for form_list in self._layout.lists
            for problem in self._by_name.get(form_list.path, ())
        ]
        problems = [*self._by_name.get("", ()), *of_lists]
        return FormView(sections=sections, rest=rest, problems=problems, marked=tuple(self._marked))

    def _names(self) -> list[str]:
        """Returns the names of all inputs and lists, in their order."""
        names = [each.path for each in self._layout.fields]
        for form_list in self._layout.lists:
            names.append(form_list.path)
            for row in range(max(1, self._typed.rows(form_list))):
                names += [name_in(form_list, row, each.path) for each in form_list.fields]
                names.append(name_in(form_list, row, REST))
        return [*names, REST]

    def _places(self, path: str, names: Collection[str]) -> list[str]:
        """Returns the names of the inputs that a problem belongs to; `items[].ncm` means all entries."""
        if "[]" in path:
            form_list = next((each for each in self._layout.lists if path.startswith(each.path)), None)
            rows = range(self._typed.rows(form_list)) if form_list else ()
            return [place for row in rows for place in self._places(path.replace("[]", f"[{row}]", 1), names)]
        if path in names:
            return [path]
        # A group as a whole, as an address, is marked at its first input.
        first = next((name for name in names if path and name.startswith(f"{path}.")), None)
        if first:
            return [first]
        entry, bracket, _ = path.partition("]")
        rest = f"{entry}{bracket}.{REST}"
        if bracket and rest in names:
            return [rest]
        return [REST if path.partition(".")[0].partition("[")[0] in self._body_names else ""]

    def _section(self, section: FormSection) -> ShownSection:
        before = len(self._marked)
        parts = [
            self._rows(part) if isinstance(part, FormList) else self._input(part.path, part.path, part)
            for part in section.parts
        ]
        is_used = any(_has_text(part) for part in parts)
        return ShownSection(
            title=section.title,
            note=section.note,
            is_open=section.is_open or is_used or len(self._marked) > before,
            parts=parts,
        )

    def _rows(self, form_list: FormList) -> FormRows:
        rows = []
        for row in range(max(1, self._typed.rows(form_list))):
            inputs = [
                self._input(name_in(form_list, row, each.path), f"{form_list.path}.{each.path}", each)
                for each in form_list.fields
            ]
            rest = self._rest(name_in(form_list, row, REST))
            rows.append(FormRow(number=row + 1, inputs=inputs, rest=rest))
        return FormRows(list=form_list, rows=rows, problems=self._by_name.get(form_list.path, ()))

    def _input(self, name: str, path: str, form_field: FormField) -> FormInput:
        facts, kind = field_facts(self._layout.body, path), kind_of(self._layout, path, form_field)
        is_required = facts.is_required or form_field.is_required
        options: Sequence[tuple[str, str]] = ()
        if kind is FieldKind.FLAG:
            options = _FLAG_OPTIONS if form_field.is_required else (("", form_field.blank), *_FLAG_OPTIONS)
        elif kind is FieldKind.CHOICE:
            named = form_field.options or tuple((choice, choice) for choice in facts.choices)
            options = named if is_required else (("", form_field.blank), *named)
        text, hint = self._typed.texts.get(name, ""), form_field.hint
        if kind is FieldKind.NUMBER and text and isinstance(read_number(text), str):
            hint = _NUMBER_HINT
        shown = FormInput(
            name=name,
            label=form_field.label,
            hint=hint,
            kind=kind,
            text=text,
            options=options,
            is_required=is_required,
            max_length=facts.max_length,
            accept=form_field.accept,
            problems=self._by_name.get(name, ()),
        )
        if shown.problems:
            self._marked.append(shown)
        return shown

    def _rest(self, name: str) -> FormInput:
        rest = FormInput(
            name=name,
            label=_OTHER_FIELDS,
            hint="",
            kind=FieldKind.LONG_TEXT,
            text=self._typed.texts.get(name, ""),
            options=(),
            is_required=False,
            max_length=None,
            problems=self._by_name.get(name, ()),
        )
        if rest.problems:
            self._marked.append(rest)
        return rest


def _has_text(part: FormInput | FormRows) -> bool:
    """Whether anything is typed in an input, or in an entry of a list."""
    if isinstance(part, FormInput):
        return bool(part.text)
    return any(each.text for row in part.rows for each in (*row.inputs, row.rest))


def with_labels(text: str, layout: FormLayout) -> str:
    """Returns a message with the words of a form in place of the names and values of JSON."""
    labels, words = _labels(layout), _choice_words(layout)

    def label_of(match: re.Match[str]) -> str:
        path = _INDEX.sub("", match[0])
        endings = {label for name, label in labels.items() if name.endswith(f".{path}")}
        # A single word without capitals may be a Portuguese word.
        is_name = "." in path or any(letter.isupper() for letter in path)
        label = labels.get(path) or (endings.pop() if is_name and len(endings) == 1 else None)
        return match[0] if label is None else f"“{label}”"

    named = _FLAG.sub(lambda match: f"“{_FLAG_WORDS[match[0]]}”", _JSON_NAME.sub(label_of, text))
    return _QUOTED.sub(lambda match: f"“{words[match[1]]}”" if match[1] in words else match[0], named)


def _choice_words(layout: FormLayout) -> Mapping[str, str]:
    """Returns the words of choices by their values."""
    fields = [*layout.fields, *(each for form_list in layout.lists for each in form_list.fields)]
    return dict(option for each in fields for option in each.options)


def _labels(layout: FormLayout) -> Mapping[str, str]:
    """Returns the labels of fields by their paths."""
    labels = {each.path: each.label for each in layout.fields}
    for form_list in layout.lists:
        labels |= {f"{form_list.path}.{each.path}": each.label for each in form_list.fields}
        labels[form_list.path] = form_list.title
    return labels

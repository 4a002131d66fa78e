"""The forms that change the settings of a company, one for each module, made from the models of the settings.

An input exists for each setting with a label, so that a new setting of a document type needs no change here.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from carimbo.fiscal.body.form_layout import FieldKind, FormField, FormLayout, FormSection, may_be_null
from carimbo.fiscal.body.reading import parts_of
from carimbo.fiscal.module_settings import ModuleSettings
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.fiscal.setting_label import SettingLabel
from carimbo.service.companies.company_settings import CompanySettings

_NUMBERING = frozenset(ModuleSettings.model_fields)
"""The settings that all document types have: series and next number."""


@dataclass(frozen=True)
class SettingsForm:
    """The form of a module of the settings."""

    module: str
    """The name of the module in JSON."""
    slug: str
    """Its name in the address of the form."""
    title: str

    @cached_property
    def layout(self) -> FormLayout:
        """The inputs, the numbering first. Their paths begin with the name of the module."""
        fields = list(_fields(self.module, _models_in(CompanySettings.model_fields[self.module])))
        numbering = tuple(
            field for field in fields if field.path.removeprefix(f"{self.module}.") in _NUMBERING
        )
        others = tuple(field for field in fields if field not in numbering)
        sections = (("Numeração", numbering), ("Emissão" if numbering else self.title, others))
        return FormLayout(
            body=CompanySettings,
            sections=tuple(FormSection(title=title, parts=parts) for title, parts in sections if parts),
        )


SETTINGS_FORMS: tuple[SettingsForm, ...] = (
    *(SettingsForm(each.name, each.name.lower(), each.title) for each in DOCUMENT_TYPES),
    SettingsForm("defaults", "mercadorias", "Valores usuais das mercadorias"),
    SettingsForm("email", "email", "E-mail aos clientes"),
    SettingsForm("numbering", "numeros-sem-uso", "Números sem uso"),
    SettingsForm("received", "recebidos", "Documentos recebidos"),
)
_BY_MODULE: Mapping[str, SettingsForm] = {form.module: form for form in SETTINGS_FORMS}


def settings_form_of(module: str) -> SettingsForm:
    """Returns the form of a module by its name in JSON. Raises KeyError."""
    return _BY_MODULE[module]


def settings_form_at(slug: str) -> SettingsForm | None:
    """Returns the form of a module by its name in an address; None if there is none."""
    return next((form for form in SETTINGS_FORMS if form.slug == slug), None)


def setting_title(path: str) -> str:
    """Returns the label of a setting by its path in JSON; the path itself if it has none."""
    form = _BY_MODULE.get(path.partition(".")[0])
    labels = {field.path: field.label for field in form.layout.fields} if form else {}
    return labels.get(path, path)


def _fields(prefix: str, models: Iterable[type[BaseModel]]) -> Iterator[FormField]:
    """Yields the inputs for the settings in objects, and in the objects within them."""
    for model in models:
        for name, about in model.model_fields.items():
            path = f"{prefix}.{about.alias or name}"
            yield from _fields(path, _models_in(about))
            for label in about.metadata:
                if isinstance(label, SettingLabel):
                    yield _field(path, label)


def _models_in(about: FieldInfo) -> Iterator[type[BaseModel]]:
    parts = parts_of(about.annotation)
    return (part for part in parts if isinstance(part, type) and issubclass(part, BaseModel))


def _field(path: str, label: SettingLabel) -> FormField:
    names = path.split(".")
    groups = [".".join(names[:length]) for length in range(1, len(names) + 1)]
    return FormField(
        path=path,
        label=label.text,
        hint=label.hint,
        options=tuple(label.words.items()),
        blank=label.blank,
        kind=FieldKind.SECRET if label.is_secret else None,
        is_required=not any(may_be_null(CompanySettings, group) for group in groups),
    )

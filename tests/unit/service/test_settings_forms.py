"""The forms of the settings are made from the models, and have everything that people may set."""

from pydantic import BaseModel

from carimbo.fiscal.body.reading import parts_of
from carimbo.fiscal.setting_label import SettingLabel
from carimbo.service.companies.company_settings import CompanySettings
from carimbo.service.companies.settings_forms import SETTINGS_FORMS, setting_title, settings_form_at


def _unlabelled(model: type[BaseModel], path: str) -> list[str]:
    names = []
    for name, about in model.model_fields.items():
        groups = [
            part
            for part in parts_of(about.annotation)
            if isinstance(part, type) and issubclass(part, BaseModel)
        ]
        for group in groups:
            names += _unlabelled(group, f"{path}{name}.")
        if not groups and not any(isinstance(each, SettingLabel) for each in about.metadata):
            names.append(f"{path}{name}")
    return names


def test_every_setting_has_a_label() -> None:
    assert _unlabelled(CompanySettings, "") == []


def test_every_module_has_a_form_at_an_address_of_its_own() -> None:
    assert {form.module for form in SETTINGS_FORMS} == set(CompanySettings.model_fields) | {
        field.alias for field in CompanySettings.model_fields.values() if field.alias
    }
    assert all(settings_form_at(form.slug) is form for form in SETTINGS_FORMS)


def test_inputs_of_a_form_have_different_labels() -> None:
    for form in SETTINGS_FORMS:
        labels = [field.label for field in form.layout.fields]
        assert len(set(labels)) == len(labels), form.title


def test_setting_is_named_by_its_label() -> None:
    assert setting_title("nfse.issRate") == "Alíquota usual do ISS"
    assert setting_title("nfse.unknown") == "nfse.unknown"
    assert setting_title("unknown.field") == "unknown.field"

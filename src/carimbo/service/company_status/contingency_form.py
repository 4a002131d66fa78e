"""The form that sets how contingency is chosen."""

from collections.abc import Mapping

from carimbo.fiscal.body.form_layout import FormField, FormLayout, FormSection
from carimbo.service.company_status.contingency import ContingencyChange
from carimbo.service.issuing.routes import ContingencyMode
from carimbo.service.words import CONTINGENCY_MODES

_MEANINGS: Mapping[str, str] = {
    ContingencyMode.AUTOMATIC: "começa quando a autoridade deixa de responder, e acaba quando ela volta",
    ContingencyMode.FORCED: "os documentos vão sempre para a contingência",
    ContingencyMode.FORBIDDEN: "os documentos esperam até a autoridade voltar",
}
CONTINGENCY_CHOICES: Mapping[str, str] = {
    mode: f"{CONTINGENCY_MODES[mode]}: {meaning}" for mode, meaning in _MEANINGS.items()
}
"""The modes with what each means, in words."""
CONTINGENCY_FORM = FormLayout(
    body=ContingencyChange,
    sections=(
        FormSection(
            title="Contingência",
            parts=(
                FormField(path="mode", label="Contingência", options=tuple(CONTINGENCY_CHOICES.items())),
                FormField(
                    path="reason",
                    label="Motivo",
                    hint="Para a contingência forçada, de 15 a 256 caracteres: vai escrito nos documentos.",
                ),
            ),
        ),
    ),
)

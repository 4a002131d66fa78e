"""Forms of events and statements that several document types share."""

from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.body.form_layout import FormField, FormLayout, FormList, FormSection

JUSTIFICATION = FormField(path="justification", label="Justificativa", hint="De 15 a 255 caracteres.")


def event_form(body: type[Body], *parts: FormField | FormList) -> FormLayout:
    """Returns the form of a request without further headings."""
    return FormLayout(body=body, sections=(FormSection(title="Dados", parts=parts),))

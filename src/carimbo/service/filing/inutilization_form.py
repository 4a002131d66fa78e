"""The forms that inutilize numbers: a range, and all gaps."""

from pydantic import Field

from carimbo.fiscal.body.form_layout import FormField, FormLayout, FormSection
from carimbo.fiscal.event_forms import JUSTIFICATION, event_form
from carimbo.service.filing.inutilize import MAX_NUMBERS, InutilizationRequest
from carimbo.service.filing.numbering import INUTILIZED_TYPES, GapsRequest, InutilizableType


class TypedRangeRequest(InutilizationRequest):
    """The numbers to inutilize, with the type of their documents, which the API has in its path."""

    type: InutilizableType = Field(description="Tipo de documento.")

    @property
    def request(self) -> InutilizationRequest:
        """The request without the type."""
        return InutilizationRequest.model_validate(self.model_dump(by_alias=True, exclude={"type"}))


RANGE_FORM = FormLayout(
    body=TypedRangeRequest,
    sections=(
        FormSection(
            title="Números",
            parts=(
                FormField(
                    path="type",
                    label="Documento",
                    options=tuple((each.name, each.title) for each in INUTILIZED_TYPES),
                ),
                FormField(path="series", label="Série"),
                FormField(path="numberStart", label="Primeiro número"),
                FormField(
                    path="numberEnd", label="Último número", hint=f"Até {MAX_NUMBERS} números de uma vez."
                ),
                FormField(path="year", label="Ano da numeração", hint="Em branco, o ano corrente."),
                JUSTIFICATION,
            ),
        ),
    ),
)
GAPS_FORM = event_form(GapsRequest, JUSTIFICATION)

"""The buttons that add an entry to a list of a form, or remove one: the form is only shown again."""

from starlette.datastructures import FormData

from carimbo.dashboard.body_form import MAX_ROWS, TypedForm
from carimbo.dashboard.forms import text_of
from carimbo.fiscal.body.form_layout import FormLayout

_ADD, _REMOVE = "adicionar", "remover"


def posted_with_rows(layout: FormLayout, sent: FormData) -> TypedForm:
    """Returns the form that a browser sent, after the button for an entry, if it was sent by one.

    The entry to remove is left out before all others: it has the number that the page shows, and blank
    entries count there.
    """
    removed = text_of(sent, _REMOVE)
    texts = {name: value for name, value in sent.items() if isinstance(value, str)}
    if removed:
        texts = {name: text for name, text in texts.items() if not name.startswith(f"{removed}.")}
    typed = TypedForm.posted(layout, texts)
    for form_list in layout.lists:
        if form_list.path == text_of(sent, _ADD) and typed.rows(form_list) < MAX_ROWS:
            typed = typed.with_row(form_list, {})
    return typed

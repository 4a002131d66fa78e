"""What a form must be before it is parsed."""

from python_multipart.multipart import parse_options_header


def is_utf8_form(content_type: str) -> bool:
    """Returns whether a form is in UTF-8, as all browsers send it.

    The parser would accept every Python codec. Some are not for text, and some take minutes to decode a form.
    """
    _, parameters = parse_options_header(content_type)
    return parameters.get(b"charset", b"utf-8").lower() == b"utf-8"

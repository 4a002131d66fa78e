"""The file of a refusal: what was sent, and what came back."""

from carimbo.fiscal.xml_reading import root_alone


def rejection_file(signed: bytes, answer: bytes | None) -> bytes:
    """Join a document with the refusal that it got, if it got any, for people to look into."""
    sent, received = root_alone(signed), root_alone(answer or b"")
    return b"<rejection><sent>%b</sent><received>%b</received></rejection>" % (sent, received)

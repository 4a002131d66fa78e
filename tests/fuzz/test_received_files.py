"""Received files of all types with any damage: each is refused, or read to values that fit the database."""

from hypothesis import given

from unit.fiscal.documents import test_received_damaged as received


@given(received.damaged_files())
def test_damaged_file_is_refused_or_fits_the_database(file: received.Specimen) -> None:
    received.assert_is_refused_or_fits(file)

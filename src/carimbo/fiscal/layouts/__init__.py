"""The authorities' XML layouts: groups as typed records, written as canonical XML."""

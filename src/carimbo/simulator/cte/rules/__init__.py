"""The rules of CT-e (MOC CT-e 4.00 and its technical notes)."""

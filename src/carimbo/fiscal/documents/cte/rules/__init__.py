"""The rules of the authorities for CT-e (MOC CT-e 4.00, rules G), by subject."""

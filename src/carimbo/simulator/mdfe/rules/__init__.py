"""Rules about MDF-e, their events and questions about them (MOC MDF-e 3.00b and its technical notes)."""

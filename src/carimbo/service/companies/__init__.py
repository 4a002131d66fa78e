"""Companies: registration, settings, certificate, logo, and a snapshot of all of them for issuing."""

"""Rules about NF-e and NFC-e."""

"""NFC-e, model 65: consumer receipt."""

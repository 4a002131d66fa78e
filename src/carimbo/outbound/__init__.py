"""What leaves the house but for the authorities: webhooks and e-mails."""

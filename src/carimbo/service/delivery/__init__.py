"""Events, webhooks and e-mails."""

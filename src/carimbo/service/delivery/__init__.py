"""How the world hears of what happened: events, webhooks and e-mails."""

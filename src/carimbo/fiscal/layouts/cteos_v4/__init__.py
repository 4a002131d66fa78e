"""CT-e OS 4.00 (model 67); what it shares with CT-e is in `cte_v4`."""

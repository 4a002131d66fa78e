"""The worker process: queued work, webhook deliveries and periodic chores."""

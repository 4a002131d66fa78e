"""PostgreSQL: the only place that knows asyncpg and the queue."""

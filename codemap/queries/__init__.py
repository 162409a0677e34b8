"""Read-only questions about a program. They return records, never text."""

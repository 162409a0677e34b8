"""Keeps the facts of trees: one SQLite file for all of them, filled only as far as questions need."""

"""Turns answers into bytes: JSON, lines, and tables for a terminal."""

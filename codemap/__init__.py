"""codemap: the truth about a large Python tree."""

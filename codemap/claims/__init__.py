"""Claims about a tree: read from files, lifted from reports, checked against what the questions answer."""

"""What values flow where: demand-driven inference over the facts of a tree."""

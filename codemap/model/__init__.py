"""The vocabulary: records without behaviour, shared by every layer."""

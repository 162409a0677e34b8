class Original: ...  # exports: pkg as Renamed lazy, user as Renamed

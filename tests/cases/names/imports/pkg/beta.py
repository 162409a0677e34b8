class Beta: ...  # exports: pkg as Renamed, top as Renamed

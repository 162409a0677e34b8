class Plain: ...  # exports: magic typing, user

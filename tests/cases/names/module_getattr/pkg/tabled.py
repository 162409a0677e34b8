class FromTable: ...  # exports: pkg lazy

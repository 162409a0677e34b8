from open_door import anything  # unknown: __getattr__ decides at run time

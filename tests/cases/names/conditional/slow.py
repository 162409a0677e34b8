def spin(): ...  # exports: main optional

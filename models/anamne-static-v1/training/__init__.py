"""The program that made the static embedding model; `python -m training --help`."""

"""The native module: private, its names change freely."""

__version__: str

def main(argv: list[str]) -> int:
    """Run ``mw`` with ``argv`` (the program's name first) and return its exit code."""

"""``python -m metalworking``: the command ``mw``."""

from __future__ import annotations

import sys

from metalworking import _script


def main(argv: list[str] | None = None) -> int:
    """Runs ``mw`` and returns its exit code.

    ``mw run script.py …`` (or ``mw run -m module …``) runs Python here, in this process; everything else is the Rust
    command line.
    """
    arguments = sys.argv[1:] if argv is None else argv
    script = _script.named_in(arguments)
    if script is not None:
        return script.run()
    if sys.platform == "darwin":
        print("mw: on a Mac there is `mw run script.py` alone: for all else use Xcode's own tools", file=sys.stderr)
        return 3
    from metalworking import _native

    sys.stdout.flush()
    sys.stderr.flush()
    _native.set_self_command([sys.executable, "-m", "metalworking"])
    return _native.main(["mw", *arguments])


if __name__ == "__main__":
    sys.exit(main())

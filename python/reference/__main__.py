"""``python -m reference SET [FOLDER]`` writes a set of cases unless it is there already.

SET is ``demo`` (real shapes, with MLX's times) or ``families`` (small shapes, all kernel families).
``python -m reference peers`` is a process that `mw-bench peers` drives.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import platform
import sys
from pathlib import Path

from .cases import Writer, is_current

ROOT = Path(__file__).resolve().parents[2]


def identity(name: str) -> dict[str, str]:
    """Versions that a set depends on; for timings the machine too."""
    own = Path(__file__).parent
    folders = [own / "launch"] + ([own / "families"] if name == "families" else [])
    sources = [own / "arrays.py", own / "cases.py"] + ([own / "demo.py"] if name == "demo" else [])
    sources += sorted(path for folder in folders for path in folder.glob("*.py"))
    digest = hashlib.blake2b(b"".join(path.read_bytes() for path in sources), digest_size=8)
    found = {name: importlib.metadata.version(name) for name in ("mlx", "numpy")}
    found["reference"] = digest.hexdigest()
    if name == "demo":
        cpuinfo = Path("/proc/cpuinfo")
        text = cpuinfo.read_text() if cpuinfo.exists() else platform.processor()
        lines = [line for line in text.splitlines() if line.startswith(("model name", "cpu family", "model\t"))]
        found["machine"] = hashlib.blake2b("\n".join(lines).encode(), digest_size=4).hexdigest()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m reference", description=__doc__)
    parser.add_argument("set", choices=["demo", "families", "peers"])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--force", action="store_true", help="write the set again even if it is there")
    options = parser.parse_args()
    if options.set == "peers":
        from .peers import serve

        serve()
        return 0
    defaults = {"demo": ROOT / ".cache/demo", "families": ROOT / ".cache/reference"}
    folder = options.folder or defaults[options.set]
    found = identity(options.set)
    if not options.force and is_current(folder, found):
        return 0
    print(f"computing reference values with MLX {found['mlx']} into {folder}", file=sys.stderr)
    writer = Writer(folder)
    if options.set == "demo":
        from .demo import write
    else:
        from .families import write
    write(writer)
    writer.finish(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())

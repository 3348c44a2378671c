"""Makes the wheel for Macs out of the one for Linux: the same package without native code.

usage: mac_wheel.py WHEEL FOLDER

On a Mac the package steps aside, so that a script with ``import metalworking.mlx`` runs there as it is; the wheel
exists so that it can be installed. Prints the path of what it wrote.
"""

from __future__ import annotations

import base64
import hashlib
import sys
import zipfile
from pathlib import Path

TAGS = ("macosx_11_0_arm64", "macosx_11_0_x86_64")


def record_line(name: str, content: bytes) -> str:
    """A line of a wheel's ``RECORD``."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def convert(wheel: Path, folder: Path) -> Path:
    """Writes the wheel for Macs and returns its path."""
    name, version = wheel.name.split("-")[:2]
    target = folder / f"{name}-{version}-py3-none-{'.'.join(TAGS)}.whl"
    information = f"{name}-{version}.dist-info/"
    records = []
    with zipfile.ZipFile(wheel) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as out:
        for entry in source.infolist():
            path = entry.filename
            if path.endswith((".so", "/")) or path == information + "RECORD" or "/sboms/" in path:
                continue
            content = source.read(entry)
            if path == information + "WHEEL":
                kept = [
                    line for line in content.decode().splitlines() if not line.startswith(("Tag:", "Root-Is-Purelib:"))
                ]
                tags = [f"Tag: py3-none-{tag}" for tag in TAGS]
                content = "\n".join([*filter(None, kept), "Root-Is-Purelib: true", *tags, ""]).encode()
            out.writestr(entry.filename, content)
            records.append(record_line(path, content))
        records.append(f"{information}RECORD,,\n")
        out.writestr(information + "RECORD", "".join(records))
    return target


if __name__ == "__main__":
    print(convert(Path(sys.argv[1]), Path(sys.argv[2])))

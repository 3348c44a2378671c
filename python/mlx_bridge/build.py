"""Builds the libraries that join stock MLX: one for each version in `versions.txt`.

usage: build.py [--out FOLDER] [--cache FOLDER] [--force] [VERSION …]

Fetches the wheels `mlx` and `mlx-cpu` of each version with pip, and compiles the bridge against their headers with
`$CXX` (g++ without it) in C++20. A library that is newer than all sources is left alone. Prints what it built.
Runs when the wheel of metalworking is made; nothing is compiled where it is installed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CONTRACT = ROOT / "crates" / "mw-custom-kernel" / "include"
# The headers and libmlx are the same for every Python; any that has wheels of all versions will do.
PYTHON_OF_WHEELS = "3.11"
FLAGS = [
    "-std=c++20",
    "-O2",
    "-fPIC",
    "-shared",
    "-fvisibility=hidden",
    "-fvisibility-inlines-hidden",
    "-Wall",
    "-Wextra",
    "-Wno-unused-parameter",
    "-Werror",
    # Refuses what is in no library, and seals the tables that the bridge itself has.
    "-Wl,-z,relro,-z,now",
    "-Wl,--allow-shlib-undefined",
    "-s",
]


def listed_versions() -> list[str]:
    lines = (HERE / "versions.txt").read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def unpacked(version: str, cache: Path) -> Path:
    """The folder with `mlx/include` and `mlx/lib` of a version, fetched if it is not there."""
    folder = cache / version
    if (folder / "mlx" / "include").is_dir() and (folder / "mlx" / "lib" / "libmlx.so").is_file():
        return folder
    machine = os.uname().machine
    with tempfile.TemporaryDirectory() as wheels:
        command = [
            sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
            "--only-binary=:all:", "--python-version", PYTHON_OF_WHEELS, "--platform", f"manylinux_2_35_{machine}",
            "--dest", wheels, f"mlx=={version}", f"mlx-cpu=={version}",
        ]  # fmt: skip
        subprocess.run(command, check=True)
        partial = cache / f".{version}.partial"
        shutil.rmtree(partial, ignore_errors=True)
        for wheel in sorted(Path(wheels).glob("*.whl")):
            with zipfile.ZipFile(wheel) as archive:
                wanted = [name for name in archive.namelist() if name.startswith(("mlx/include/", "mlx/lib/"))]
                archive.extractall(partial, wanted)
        shutil.rmtree(folder, ignore_errors=True)
        partial.rename(folder)
    return folder


def build(version: str, out: Path, cache: Path, *, force: bool) -> bool:
    """Compiles the bridge for a version. False where it was fresh."""
    target = out / f"mlx-{version}.so"
    sources = sorted(HERE.glob("*.cpp"))
    inputs = [*sources, *HERE.glob("*.h"), *CONTRACT.glob("*.h"), Path(__file__)]
    if not force and target.is_file() and target.stat().st_mtime > max(path.stat().st_mtime for path in inputs):
        return False
    mlx = unpacked(version, cache) / "mlx"
    partial = target.with_suffix(".partial")
    command = [
        os.environ.get("CXX", "g++"),
        *FLAGS,
        f"-I{CONTRACT}",
        f"-I{HERE}",
        "-isystem",
        str(mlx / "include"),
        *map(str, sources),
        f"-L{mlx / 'lib'}",
        "-lmlx",
        "-o",
        str(partial),
    ]
    subprocess.run(command, check=True)
    partial.rename(target)
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "python" / "metalworking" / "_mlx_bridges")
    parser.add_argument("--cache", type=Path, default=ROOT / ".cache" / "mlx")
    parser.add_argument("--force", action="store_true", help="build also what is fresh")
    parser.add_argument("versions", nargs="*", help="versions of MLX; all that are listed without any")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    arguments.cache.mkdir(parents=True, exist_ok=True)
    for version in arguments.versions or listed_versions():
        built = build(version, arguments.out, arguments.cache, force=arguments.force)
        print(f"mlx {version}: {'built' if built else 'fresh'}")


if __name__ == "__main__":
    main()

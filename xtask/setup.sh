#!/usr/bin/env bash
# Installs what this repository needs and the machine lacks; says nothing when nothing is missing.
# Written for Debian 12 and newer. Called by `make setup`; safe to run again at any time.
# With the argument `demo` it leaves out what only the tests need; with `wasm` it installs what building for the
# browser needs, and nothing else (`cargo xtask wasm --install` calls it).
set -euo pipefail
cd "$(dirname "$0")/.."
purpose=${1:-all}

say() { printf 'setup: %s\n' "$*" >&2; }
fail() { printf 'setup: error: %s\n' "$*" >&2; exit 1; }
quietly() { # Runs a command; shows its output only when it fails.
  local log
  log=$(mktemp)
  if "$@" >"$log" 2>&1; then rm -f "$log"; else cat "$log" >&2; rm -f "$log"; return 1; fi
}

# --- Debian packages -------------------------------------------------------------------------------------
# llvm-22-dev with the libraries that llvm-config asks the linker for.
packages=(
  build-essential ca-certificates curl git libffi-dev libpolly-22-dev libxml2-dev libzstd-dev llvm-22 llvm-22-dev
  make python3 python3-pip python3-venv zlib1g-dev
)
# clang-22 for the plain-C roofline of the benches; qemu-user to run cross-generated AArch64 code; PyTorch without
# CUDA, which its wheels for Linux bring along, to test kernels on its tensors.
[ "$purpose" != all ] || packages+=(clang-22 python3-numpy python3-torch qemu-user)
# For the engine of the browser, Debian's current compiler with the sources of Rust's library.
if [ "$purpose" = wasm ]; then
  packages=(rustc-web cargo-web rust-web-src lld-22)
  command -v node >/dev/null 2>&1 || packages+=(nodejs)
fi

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

install_packages() {
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null 2>&1; then
    fail "these Debian packages are missing, and this user is not root and has no sudo: $*"
  fi
  say "installing Debian packages: $*"
  quietly as_root apt-get update -qq || fail "apt-get update failed: see above"
  quietly as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" ||
    fail "apt-get cannot install: $*"
}

if command -v dpkg-query >/dev/null 2>&1; then
  missing=()
  for package in "${packages[@]}"; do
    status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
    [ "$status" = "install ok installed" ] || missing+=("$package")
  done
  [ ${#missing[@]} = 0 ] || install_packages "${missing[@]}"
elif ! command -v llvm-config-22 >/dev/null 2>&1 && [ -z "${LLVM_SYS_221_PREFIX:-}" ]; then
  fail "this is no Debian: install LLVM 22 with its headers, a C compiler, make, git and Python 3.11 or newer yourself, and set LLVM_SYS_221_PREFIX to LLVM's folder"
fi

if [ "$purpose" = wasm ]; then exit 0; fi

# --- Rust ------------------------------------------------------------------------------------------------
channel=$(sed -n 's/^channel *= *"\(.*\)"/\1/p' rust-toolchain.toml)
oldest=$(sed -n 's/^rust-version *= *"\(.*\)"/\1/p' Cargo.toml)

is_new_enough() { # Whether `cargo` runs here and is at least the oldest supported version.
  local version
  version=$(cargo --version 2>/dev/null | sed -n 's/^cargo \([0-9.]*\).*/\1/p')
  [ -n "$version" ] && [ "$(printf '%s\n%s\n' "$oldest" "$version" | sort -V | head -n 1)" = "$oldest" ]
}

can_be_installed() { # Whether Debian offers a package.
  local policy
  policy=$(apt-cache policy "$1" 2>/dev/null || true)
  [[ "$policy" == *"Candidate: "[!\(]* ]]
}

if ! command -v cargo >/dev/null 2>&1; then
  # Debian 13 has rustup. Debian 12's own `cargo` is too old, but it keeps a current Rust for the browsers.
  if can_be_installed rustup; then
    install_packages rustup
  elif can_be_installed rustc-web; then
    install_packages rustc-web cargo-web rustfmt-web rust-web-clippy
  else
    fail "there is no Rust here, and Debian offers none that is new enough: install rustup as the Rust project's web site describes (\"Install Rust\"), then run \`make setup\` again"
  fi
fi
if command -v rustup >/dev/null 2>&1 && ! cargo --version >/dev/null 2>&1; then
  say "installing the Rust toolchain $channel"
  quietly rustup toolchain install "$channel" --profile minimal --component rustfmt --component clippy ||
    fail "rustup cannot install Rust $channel; with another toolchain of at least $oldest, set RUSTUP_TOOLCHAIN to its name"
fi
is_new_enough || fail "$(cargo --version 2>&1 | head -n 1) is too old or does not run: Rust $oldest or newer is needed, $channel is what we test with"

if [ "$purpose" != demo ] && ! cargo nextest --version >/dev/null 2>&1; then
  say "installing cargo-nextest (some minutes)"
  quietly cargo install cargo-nextest --version 0.9.143 --locked ||
    say "cargo-nextest cannot be installed; \`make test\` will use \`cargo test\` instead"
fi

# --- Python: the package's build, the demo, reference values, tests ---------------------------------------
lists=(xtask/requirements.txt)
[ "$purpose" = demo ] || lists+=(xtask/requirements-test.txt xtask/requirements-kernels.txt)
for wanted in "${lists[@]}"; do
  installed=.venv/$(basename "$wanted")
  cmp -s "$wanted" "$installed" && continue
  [ -x .venv/bin/python ] || quietly python3 -m venv .venv || fail "python3 cannot make the virtual environment .venv"
  options=()
  [ "$wanted" = xtask/requirements-kernels.txt ] && options=(--no-deps)
  say "installing Python packages: $(grep -v '^#' "$wanted" | tr '\n' ' ')"
  quietly .venv/bin/python -m pip --disable-pip-version-check install --quiet ${options[@]+"${options[@]}"} -r "$wanted" ||
    fail "pip cannot install the packages of $wanted (Python 3.11 or newer is needed; this is $(.venv/bin/python --version 2>&1))"
  cp "$wanted" "$installed"
done

# --- Apple-compiled kernel libraries ---------------------------------------------------------------------
quietly_build() { quietly cargo build --quiet --package xtask; }
if ! [ -f .cache/libraries/mlx14/mlx.metallib ]; then
  say "building xtask"
  quietly_build || fail "xtask does not build"
fi
cargo xtask libraries mlx14

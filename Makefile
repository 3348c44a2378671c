# Installs what is missing and calls cargo; every real chore is a `cargo xtask` or a `cargo` command.
.DEFAULT_GOAL := help
.PHONY: help setup test demo check

# Apple-compiled kernel libraries for the tests that run them; set it to a folder of your own to share one.
export MW_LIBRARIES ?= $(CURDIR)/.cache/libraries

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install what is missing: LLVM 22, Rust, Python packages, Apple's kernels (quiet when all is there)
	@./xtask/setup.sh

test: setup ## Run all tests, then kernels of Apple's libraries on both engines (some ten minutes on two cores)
	@cargo xtask libraries all
	@cargo xtask references
	@if cargo nextest --version >/dev/null 2>&1; \
	then cargo test --quiet --workspace --doc && cargo nextest run --workspace $(if $(CI),--profile ci); \
	else cargo test --workspace; fi
	@cargo xtask python
	@.venv/bin/python -m pytest --quiet
	@cargo xtask wasm --test $(if $(CI),--install,--if-possible)
	@cargo xtask conform --ci

check: setup ## Check format, lints, house rules and generated files, as CI does
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo xtask tidy
	cargo xtask codegen --check
	.venv/bin/ruff format --check --quiet
	.venv/bin/ruff check --quiet

demo: ## Run Apple's own kernels on this CPU, compare with MLX, print a table; then a custom kernel from Python
	@./xtask/setup.sh demo
	@cargo xtask demo
	@cargo xtask python --release
	@.venv/bin/python python/demo/quick_start.py

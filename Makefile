# NODE=real adds kubelet, containerd and kube-proxy: real pods. Without it pods are simulated.
NODE ?= simulated
# What else pytest is to be given, e.g. TESTS="-k retirement".
TESTS ?=
# SWEEP=--tekton sweeps the handoffs of a component that the Tekton operator keeps.
SWEEP ?=
PYTHON ?= python3
# Where a company's proxy signs connections, the system knows its authority, and uv's own list does not.
export UV_SYSTEM_CERTS ?= true

BIN := .venv/bin
PYTEST := $(BIN)/pytest $(TESTS)

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup demo test lint fmt unit histories kill-sweep fault-sweep integration node gitops gitops-e2e packages binaries cluster-up cluster-down

help: ## show what there is
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: .venv/.synced ## make .venv with all that development needs; the command is then .venv/bin/handoff

demo: setup ## see one handoff on a cluster of its own: nothing shared goes missing
	@$(BIN)/python -m demo

test: lint unit integration node gitops ## everything

lint: setup ## style, format, types, and which layer may import which
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/mypy

fmt: setup ## put the code in form
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

unit: setup ## tests without a cluster
	$(PYTEST) tests/unit

histories: setup ## ten thousand random histories of several components against the promises, some minutes
	HANDOFF_HISTORIES=10000 $(PYTEST) --timeout=0 tests/unit/handoff/test_histories.py

kill-sweep: setup binaries ## kill the hook before and after every write of a component's life, about an hour and a half
	$(BIN)/python -m tests.sweeps.kill $(SWEEP)

fault-sweep: setup binaries ## let each request of a component's life fail in every way, some hours
	$(BIN)/python -m tests.sweeps.faults $(SWEEP)

integration: setup binaries ## tests on a real control plane with simulated pods
	$(PYTEST) -n 2 --dist loadfile tests/integration

node: setup packages binaries ## tests with real pods, where this machine can have them
	$(PYTEST) -n 2 --dist loadfile tests/node

gitops: setup packages binaries ## the real Argo CD and Flux deliver the hook, where their controllers are built
	$(PYTEST) -n 2 --dist loadgroup tests/gitops

gitops-e2e: setup packages binaries ## the same, and builds the controllers first: half an hour on two cores, once
	@$(BIN)/python -m tests.cluster.gitops build
	$(PYTEST) -n 2 --dist loadgroup tests/gitops

cluster-up: setup ## start the test cluster, unless it runs; its kubeconfig is .cluster/kubeconfig
	@$(BIN)/python -m tests.cluster up --node $(NODE)

cluster-down: setup ## stop it and remove all of it
	@$(BIN)/python -m tests.cluster down

# The programs of the test cluster: built once for all checkouts, about ten minutes on two cores.
binaries: setup
	@$(BIN)/python -m tests.cluster build

# Debian packages that real pods need; says so and goes on where they cannot be had.
packages: setup
	@$(BIN)/python -m tests.cluster install-node-packages

.venv/.synced: pyproject.toml uv.lock
	@test -x $(BIN)/uv || PYTHON=$(PYTHON) scripts/make-venv.sh
	@$(BIN)/uv sync --quiet --locked --all-extras --compile-bytecode
	@touch $@

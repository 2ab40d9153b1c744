# What a developer does with Kith. `make` alone prints this list.

SHELL := /bin/bash
.DEFAULT_GOAL := help
SOURCES := Package.swift Sources Tests sql Clients/swift

# Homebrew keeps these out of the way of what macOS has.
ifeq ($(shell uname -s),Darwin)
BREW := $(shell brew --prefix)/opt
export PKG_CONFIG_PATH := $(BREW)/libpq/lib/pkgconfig:$(BREW)/openssl@3/lib/pkgconfig:$(PKG_CONFIG_PATH)
endif

## help: this list
.PHONY: help
help:
	@sed -n 's/^## \([a-z-]*\): */\1\t/p' $(MAKEFILE_LIST) | awk -F '\t' '{ printf "make %-15s %s\n", $$1, $$2 }'

## run: install what is missing, build, and run Kith with a PostgreSQL and a demo world of its own
.PHONY: run
run:
	@scripts/prepare run; case $$? in \
	0) swift build --product kith && exec .build/debug/kith dev ;; \
	3) COMMAND=dev exec docker compose up --build ;; \
	*) exit 1 ;; esac

## test: install what is missing, then every test against a real PostgreSQL
.PHONY: test
test:
	@scripts/prepare test
	@[ -n "$$KITH_BIN" ] || swift build --product kith
	scripts/check-swift-client
	@scripts/test

## test-citus: the tests of behaviour on a Citus cluster; scripts/test-citus says which
.PHONY: test-citus
test-citus:
	@scripts/prepare test
	@scripts/test-citus

## check: format, imports, documents, schema.sql and openapi.yaml, without building
.PHONY: check
check:
	@scripts/prepare check
	swift format lint --strict --parallel --recursive $(SOURCES)
	scripts/lint-imports
	scripts/test-lint-imports
	scripts/check-docs
	scripts/check-schema
	scripts/check-api --lint

## check-pages: the pages in Chromium, in every size and language, with axe-core; leaves pictures in .build/pages
.PHONY: check-pages
check-pages:
	@scripts/prepare pages
	@[ -n "$$KITH_BIN" ] || swift build --product kith
	scripts/check-pages

## check-console: what people do at the console, in Chromium, in two languages, with its script and without
.PHONY: check-console
check-console:
	@scripts/prepare pages
	@[ -n "$$KITH_BIN" ] || swift build --product kith
	scripts/check-console

## check-cors: calls of a web app on another origin, in Chromium
.PHONY: check-cors
check-cors:
	@scripts/prepare pages
	@[ -n "$$KITH_BIN" ] || swift build --product kith
	scripts/check-cors

## check-api: openapi.yaml against a live server, by schemathesis; API=--quick for a third of the time
.PHONY: check-api
check-api:
	@scripts/prepare check
	@[ -n "$$BASE_URL$$KITH_BIN" ] || swift build --product kith
	scripts/check-api $(API)

## check-webhooks: the Python library of Standard Webhooks verifies what a live server posts
.PHONY: check-webhooks
check-webhooks:
	@scripts/prepare check
	@[ -n "$$KITH_BIN" ] || swift build --product kith
	scripts/check-webhooks

## check-appstore: what Apple's own Python library believes of the vectors in Tests/appstore.json is what the tests expect of Kith
.PHONY: check-appstore
check-appstore:
	@scripts/prepare check
	scripts/check-appstore

## check-clients: clients that openapi-generator makes of openapi.yaml, in Swift, TypeScript and Kotlin, against a live server
.PHONY: check-clients
check-clients:
	@scripts/prepare clients
	@[ -n "$$KITH_BIN" ] || swift build --product kith
	scripts/check-clients

## check-push: the pushes of examples/push, against fakes of FCM and APNs that check signatures, headers and bodies
.PHONY: check-push
check-push:
	@scripts/prepare check
	scripts/check-push

## check-agents: what tells programs from people, against public lists of crawlers and of phones
.PHONY: check-agents
check-agents:
	scripts/check-agents

## faults: what Kith stands on is broken on purpose, under load; FAULTS=--quick for a part
.PHONY: faults
faults:
	@scripts/prepare $(if $(findstring --quick,$(FAULTS)),build,faults)
	@[ -n "$$KITH_BIN" ] || swift build --product kith
	faults/run.py $(FAULTS)

## faults-citus: the same with a Citus cluster, which the script in KITH_CITUS_CLUSTER starts, kills and revives
.PHONY: faults-citus
faults-citus:
	@scripts/prepare build
	@[ -n "$$KITH_BIN" ] || swift build --product kith
	faults/run.py --citus $(FAULTS)

## rolling-restart: four servers behind the nginx of examples/nginx.conf, restarted under load without a failed request
.PHONY: rolling-restart
rolling-restart:
	@scripts/prepare rolling-restart
	@[ -n "$$KITH_BIN" ] || swift build --product kith
	faults/run.py --only F40 --patience 5

## faults-guards: takes eight guards out, one at a time; the checker of faults must find the harm
.PHONY: faults-guards
faults-guards:
	@scripts/prepare build
	faults/guards.py

## bench: the table of bench/README.md, measured here
.PHONY: bench
bench: release
	bench/run.py

## hostile: what no honest client sends, to the release binary; hostile/run.py --help says more
.PHONY: hostile
hostile: release
	@scripts/prepare check
	scripts/hostile

## format: lay out all Swift code
.PHONY: format
format:
	swift format --in-place --parallel --recursive $(SOURCES)

## build: a debug build
.PHONY: build
build:
	@scripts/prepare build
	swift build

## release: the one binary to ship, .build/release/kith
.PHONY: release
release:
	@scripts/prepare build
	COMMIT=$$(git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null) \
	    swift build -c release --static-swift-stdlib --product kith

## schema: write sql/schema.sql anew from the migrations
.PHONY: schema
schema:
	@scripts/prepare build
	scripts/check-schema --write

## screenshots: take the pictures in README.md anew, by Chromium
.PHONY: screenshots
screenshots:
	@scripts/prepare build
	swift build --product kith
	scripts/screenshots

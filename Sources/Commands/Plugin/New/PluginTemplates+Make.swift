// Part of bgtask, under the Apache License 2.0; see LICENSE.

// The Makefile and its parts.
extension PluginTemplates {
    enum Make {
        /// The Makefile, with places for the parts of each language.
        static let makefile = #"""
            # make builds the plugin; make check tests it, and checks it as a host does; make trials runs it without a host.

            BGTASK ?= bgtask
            PKG_CONFIG ?= pkg-config
            @VARIABLES@
            .PHONY: all check trials clean
            .DELETE_ON_ERROR:
            all: lib@NAME@.so

            @BUILD@

            check: lib@NAME@.so @NAME@_test
            	./@NAME@_test
            	$(BGTASK) plugin check @NAME@.yaml@NEIGHBOURS@

            trials: lib@NAME@.so
            	$(BGTASK) plugin try @NAME@.yaml @TRIED@@NEIGHBOURS@
            	$(BGTASK) plugin check @NAME@.yaml@NEIGHBOURS@ --level 2

            # The test is a program that calls the built library.
            @NAME@_test: @TEST@ lib@NAME@.so
            	@COMPILER@ -Wall -Wextra @TEST@ -L. -l:lib@NAME@.so -Wl,-rpath,'$$ORIGIN' \
            	    $$($(PKG_CONFIG) --cflags --libs bgtask-testing) -o $@

            clean:
            	rm -rf @BUILT@ lib@NAME@.so @NAME@_test
            """#

        /// The rule that builds a plugin in C.
        static let cRule = #"""
            # -z defs finds a missing symbol now, and not when the host loads the library.
            SOURCES := $(filter-out @TEST@,$(wildcard *.c))

            lib@NAME@.so: $(SOURCES) $(wildcard *.h)
            	$(CC) -std=gnu11 -Wall -Wextra $(CFLAGS) -fPIC -fvisibility=hidden $$($(PKG_CONFIG) --cflags bgtask) \
            	    -shared -Wl,-z,defs,-z,relro,-z,now $(SOURCES) -o $@
            """#

        /// The rule that builds a plugin in C++.
        static let cxxRule = #"""
            # -z defs finds a missing symbol now, and not when the host loads the library.
            SOURCES := $(filter-out @TEST@,$(wildcard *.cpp))

            lib@NAME@.so: $(SOURCES) $(wildcard *.h *.hpp)
            	$(CXX) -std=c++17 -Wall -Wextra $(CXXFLAGS) -fPIC -fvisibility=hidden $$($(PKG_CONFIG) --cflags bgtask) \
            	    -shared -Wl,-z,defs,-z,relro,-z,now $(SOURCES) -o $@
            """#

        /// The rule that builds a plugin in Rust.
        static let rustRule = #"""
            lib@NAME@.so: Cargo.toml $(wildcard src/*.rs)
            	$(CARGO) build --release --offline
            	cp target/release/lib@NAME@_plugin.so $@
            """#

        /// The rule that builds a plugin in Go.
        static let goRule = #"""
            # go build also writes a header that nothing needs.
            lib@NAME@.so: go.mod $(wildcard *.go *.c *.h)
            	$(GO) build -buildmode=c-shared -o $@ .
            	rm -f lib@NAME@.h
            """#

        /// The rule that builds a plugin in Swift.
        static let swiftRule = #"""
            # The package of Swift modules that is installed below the prefix of bgtask.
            export BGTASK_SDK ?= $(shell $(PKG_CONFIG) --variable=sdkdir bgtask-testing)

            lib@NAME@.so: Package.swift $(wildcard Sources/@MODULE@/*.swift)
            	$(SWIFT) build -c release
            	cp .build/release/lib@MODULE@.so $@
            """#
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A programming language of `plugin new`. The raw value is the value of the option `--language`.
enum PluginLanguage: String, CaseIterable, Hashable, Sendable {
    case c
    case cxx = "c++"
    case swift
    case rust
    case go

    /// The name of the language in sentences.
    var name: String {
        switch self {
        case .c: "C"
        case .cxx: "C++"
        case .swift: "Swift"
        case .rust: "Rust"
        case .go: "Go"
        }
    }

    /// The paragraphs of the README about the programs and files that the build needs.
    var requirements: String {
        let common = "make, a C compiler, pkg-config, and the packages bgtask and bgtask-dev"
        let programs =
            switch self {
            case .c: "The build needs \(common)."
            case .cxx: "The build needs \(common.replacing("C compiler", with: "C++ compiler"))."
            case .swift: "The build needs Swift 6.3 and \(common)."
            case .rust: "The build needs cargo and no crates. The test needs \(common)."
            case .go: "The build needs Go and \(common)."
            }
        let installation = "\(programs)\n\(PluginTemplates.Shared.checkout)"
        return self == .swift ? "\(installation)\n\n\(PluginTemplates.Swift.packageDirectory)" : installation
    }

    /// The variables of the Makefile that only this language has, one per line.
    var variables: String {
        switch self {
        case .c: "CFLAGS ?= -O2 -g\n"
        case .cxx: "CXXFLAGS ?= -O2 -g\n"
        case .swift: "SWIFT ?= swift\n"
        case .rust: "CARGO ?= cargo\n"
        case .go: "GO ?= go\n"
        }
    }

    /// The rule of the Makefile that builds the library.
    var buildRule: String {
        switch self {
        case .c: PluginTemplates.Make.cRule
        case .cxx: PluginTemplates.Make.cxxRule
        case .swift: PluginTemplates.Make.swiftRule
        case .rust: PluginTemplates.Make.rustRule
        case .go: PluginTemplates.Make.goRule
        }
    }

    /// The command of the Makefile that compiles the test, with the flags of the plugin: a sanitizer has to be in both. A
    /// plugin in C++ needs no C compiler. Tests may call functions of POSIX, such as `setenv`, which strict C11 does not
    /// declare.
    var testCompiler: String {
        switch self {
        case .c: "$(CC) -std=gnu11 $(CFLAGS)"
        case .cxx: "$(CXX) -std=c++17 $(CXXFLAGS)"
        case .swift, .rust, .go: "$(CC) -std=gnu11"
        }
    }

    /// The path of the test's source file, relative to the project. A C file beside the sources of Go would be compiled
    /// into the plugin.
    var test: String {
        switch self {
        case .c: "@NAME@_test.c"
        case .cxx: "@NAME@_test.cpp"
        case .swift, .rust, .go: "tests/@NAME@_test.c"
        }
    }

    /// The files and directories that the build makes, besides library and test.
    var built: [String] {
        switch self {
        case .c, .cxx: []
        case .swift: [".build", "Package.resolved"]
        case .rust: ["target", "Cargo.lock"]
        case .go: ["lib@NAME@.h"]
        }
    }
}

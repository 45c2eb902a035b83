// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginLaunch
import TaskModel

/// The simulated minor version 1 of the ABI, which `make minor1` builds: its header and its runner. Its plugins are
/// compiled with sanitizers.
enum Minor1 {
    private static let environment = ProcessInfo.processInfo.environment
    /// The directory with header and runner; nil when this run of the tests has none.
    static let directory = environment["BGTASK_MINOR1"]
    /// Whether the runners of both minor versions were built with AddressSanitizer, by `make sanitize`.
    static let isSanitized = environment["BGTASK_SANITIZED"] != nil

    static let include = (directory ?? "") + "/include"

    /// The runner of a minor version; nil for the one that was built with the tests, and for a run without `directory`.
    static func runner(_ minor: Int) -> String? {
        guard let directory else { return nil }
        if isSanitized { return "\(directory)/sanitized\(minor)/debug/bgtask-runner" }
        return minor == 0 ? nil : "\(directory)/build/debug/bgtask-runner"
    }

    /// The compiler for plugins. A sanitized runner brings the runtime of the Swift toolchain's compiler.
    static let compiler = isSanitized ? "clang" : "gcc"

    /// Compiler flags that end the process at an address error or at undefined behaviour. With a sanitized runner,
    /// undefined behaviour is a trap, because that runner has no runtime that reports it.
    static let sanitizers =
        ["-g", "-fsanitize=address,undefined", "-fno-omit-frame-pointer"]
        + (isSanitized ? ["-fsanitize-trap=undefined"] : ["-fno-sanitize-recover=all"])

    /// The environment of a runner whose plugin has sanitizers. AddressSanitizer installs no handlers of crash signals,
    /// so that the runner's own handlers report crashes.
    static func sanitizedEnvironment() throws -> RunnerEnvironment {
        let options = ["segv", "sigbus", "abort", "sigill", "sigfpe"].map { "handle_\($0)=0" }
        let common = options + ["use_sigaltstack=0", "detect_leaks=0", "detect_odr_violation=0"]
        var variables = LaunchFixture.variables.variables
        variables.append(.init(name: "ASAN_OPTIONS", value: common.joined(separator: ":")))
        // A runner without the runtime of AddressSanitizer loads it before all other libraries.
        if !isSanitized { variables.append(.init(name: "LD_PRELOAD", value: try preload.get())) }
        return RunnerEnvironment(variables)
    }

    private static let preload = Result { try StandIn.output(of: compiler, ["-print-file-name=libasan.so"]) }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

extension ProcessTermination {
    /// The termination as shown to users: `exit status 0`, `signal 9 (SIGKILL)`.
    package var words: String {
        switch self {
        case .exited(let code): "exit status \(code)"
        case .signaled(let signal): signalName(signal)
        case .outOfMemory: "killed for lack of memory"
        }
    }
}

/// The number of a signal and, if known, its name, as shown to users: `signal 11 (SIGSEGV)`. A trap of Swift code is
/// SIGILL on x86-64 and SIGTRAP on aarch64.
package func signalName(_ signal: Int32) -> String {
    let names: [Int32: String] = [
        1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE",
        9: "SIGKILL", 11: "SIGSEGV", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM", 24: "SIGXCPU", 25: "SIGXFSZ",
        31: "SIGSYS",
    ]
    return names[signal].map { "signal \(signal) (\($0))" } ?? "signal \(signal)"
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import CFuzzer
package import FuzzEntries
internal import Glibc
internal import Synchronization

/// Runs the fuzzer of LLVM on one `FuzzEntry`. The arguments of the process are the options of the fuzzer.
package enum Fuzzer {
    // A function for C captures nothing.
    private static let entry = Mutex<(any FuzzEntry)?>(nil)

    /// Runs the fuzzer until it ends. An input for which `fuzzed` returns a problem ends the process by a signal, so
    /// that the fuzzer stores the input.
    package static func run(_ fuzzed: any FuzzEntry) -> Never {
        entry.withLock { $0 = fuzzed }
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        let status = LLVMFuzzerRunDriver(&count, &arguments) { bytes, size in
            let input = Array(UnsafeBufferPointer(start: bytes, count: size))
            if let problem = Fuzzer.entry.withLock({ $0 })?.problem(with: input) { fatalError(problem) }
            return 0
        }
        exit(status)
    }
}

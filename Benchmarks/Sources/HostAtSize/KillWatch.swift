// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Measuring
import Synchronization

/// Runs the program Kills, which measures the lateness of kills: of a host's launches, and of its own child by a timer.
final class KillWatch: Sendable {
    private struct Seen {
        var host: [Int64] = []
        var timer: [Int64] = []
        var wakeUp: [Int64] = []
        var taken = 0
    }

    private let process: ProcessBox
    private let seen = Mutex(Seen())

    /// Starts the program Kills.
    ///
    /// - Parameter fifo: path of a FIFO to create. Each measured process of a launch writes its number and its kill
    ///   time to it.
    init(_ programs: Programs, fifo: String) throws {
        guard mkfifo(fifo, 0o600) == 0 else { throw BenchmarkError("cannot create \(fifo)") }
        let output = Pipe()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: programs.bench + "/Kills")
        process.arguments = [fifo]
        process.standardOutput = output
        try process.run()
        self.process = ProcessBox(process)
        let reader = output.fileHandleForReading.fileDescriptor
        Thread { [self] in
            withExtendedLifetime(output) {
                guard let lines = fdopen(reader, "r") else { return }
                var line = [CChar](repeating: 0, count: 256)
                while fgets(&line, Int32(line.count), lines) != nil {
                    add(String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
                }
            }
        }.start()
    }

    /// Measured times from the kill time of a launch to the end of its process, in nanoseconds.
    var host: [Int64] { seen.withLock { $0.host } }
    /// Measured times from a timer's time to the end of the process that the timer killed, in nanoseconds.
    var timer: [Int64] { seen.withLock { $0.timer } }
    /// Measured times from a timer's time to the return of the call that waits for it, in nanoseconds.
    var wakeUp: [Int64] { seen.withLock { $0.wakeUp } }

    /// Returns the lateness of the host's kills since the last call, in nanoseconds.
    func taken() -> [Int64] {
        seen.withLock { seen in
            defer { seen.taken = seen.host.count }
            return Array(seen.host[seen.taken...])
        }
    }

    func stop() { process.process.terminate() }

    private func add(_ line: String) {
        let words = line.split(whereSeparator: \.isWhitespace)
        let numbers = words.dropFirst().compactMap { Int64($0) }
        seen.withLock { seen in
            switch (words.first, numbers.count) {
            case ("host", 1): seen.host.append(numbers[0])
            case ("timer", 2):
                seen.timer.append(numbers[0])
                seen.wakeUp.append(numbers[1])
            default: break
            }
        }
    }
}

/// A reference to a process, to share it between threads.
///
/// Unchecked: the process is started before it is shared, and only signalled afterwards.
private final class ProcessBox: @unchecked Sendable {
    let process: Process
    init(_ process: Process) { self.process = process }
}

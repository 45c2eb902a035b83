// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Dispatch
import Logging
import Synchronization
import TaskModel
import Testing

@testable import HostService

@Suite("Dropped log lines are counted, and their number stands in their place", .timeLimit(.minutes(5)))
struct LogWriterTests {
    /// A log output that blocks before each text until the test signals `permission`.
    private final class SlowOutput: Sendable {
        let began = DispatchSemaphore(value: 0)
        let permission = DispatchSemaphore(value: 0)
        let wrote = DispatchSemaphore(value: 0)
        private let texts = Mutex<[String]>([])

        func write(_ text: String) {
            began.signal()
            permission.wait()
            texts.withLock { $0.append(text) }
            wrote.signal()
        }

        /// The written messages: for each line its message if the tests know it, otherwise the whole line.
        var messages: [String] {
            texts.withLock { $0 }.map { text in
                ["first", "second", "third", "sixth", "dropped log lines: 2", "dropped log lines: 1"]
                    .first { text.contains($0) } ?? text
            }
        }
    }

    private func line(_ message: String) -> LogLine {
        LogLine(level: .info, message: message, fields: [:], time: WallTime(nanoseconds: 0))
    }

    @Test func `log lines beyond the capacity are dropped, and a line with their number is written instead`() {
        let output = SlowOutput()
        let writer = LogWriter(capacity: 3) { line in
            output.write(line.contents)
            return true
        }
        for message in ["first", "second", "third", "fourth", "fifth"] { writer.write(line(message)) }
        output.began.wait()
        output.permission.signal()
        // The second line begins when the first one no longer waits.
        output.began.wait()
        writer.write(line("sixth"))
        writer.write(line("seventh"))
        for _ in 0..<8 { output.permission.signal() }
        for _ in 0..<6 { output.wrote.wait() }
        #expect(
            output.messages == [
                "first", "second", "third", "dropped log lines: 2", "sixth", "dropped log lines: 1",
            ]
        )
    }

    // A host whose log is not read would otherwise keep 10,000 lines of 32 KiB.
    @Test func `log lines beyond the capacity in bytes are dropped, whatever their number is`() {
        let output = SlowOutput()
        let writer = LogWriter(byteCapacity: 11) { line in
            output.write(line.contents)
            return true
        }
        for message in ["first", "second", "third", "fourth"] { writer.write(line(message)) }
        for _ in 0..<3 { output.permission.signal() }
        for _ in 0..<3 { output.wrote.wait() }
        #expect(output.messages == ["first", "second", "dropped log lines: 2"])
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// One process of `bgtaskd` in a directory of its own.
package struct MeasuredHost {
    package let directory: HostDirectory
    /// Time just before the process was started, in nanoseconds of the monotonic clock.
    package let startedAt: Int64
    private let process: Process

    package var pid: Int32 { process.processIdentifier }

    package init(_ programs: Programs, in directory: HostDirectory, flags: [String] = []) throws {
        self.directory = directory
        process = Process()
        process.executableURL = URL(fileURLWithPath: programs.host + "/bgtaskd")
        process.arguments = ["--config", directory.configuration, "--log-level", "error"] + flags
        // The runners' output goes there as well: a terminal would cost more than the host.
        let log = directory.path + "/log"
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        process.standardError = FileHandle(forWritingAtPath: log)
        startedAt = monotonicNow()
        try process.run()
    }

    /// Waits until the host accepts connections, and returns a connection.
    package func connect() throws -> Control {
        while true {
            if let control = try? Control(socket: directory.socket) { return control }
            try requireRunning()
            usleep(1_000)
        }
    }

    /// Throws an error with the end of the host's log if the host has ended.
    package func requireRunning() throws {
        if process.isRunning { return }
        let log = try? String(contentsOfFile: directory.path + "/log", encoding: .utf8)
        throw BenchmarkError("bgtaskd has ended: \(log?.suffix(4_000) ?? "")")
    }

    /// Waits until the catalogue and all pending work are loaded.
    package func waitUntilLoaded() throws {
        let control = try connect()
        for list in ["plugins", "tasks"] {
            while try control.get("/v1/\(list)?limit=1").contains("\"partial\":true") { usleep(20_000) }
        }
    }

    package func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    // MARK: Counts of the kernel

    /// Processor time of the host so far, in clock ticks.
    package func processorTicks() -> Int { ticks(at: 11) }

    /// Processor time of all ended runners so far, in clock ticks.
    package func runnerTicks() -> Int { ticks(at: 13) }

    package static func milliseconds(ofTicks ticks: Int) -> Double {
        Double(ticks) * 1_000 / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// The sum of two fields of the process's `stat`, in clock ticks: user time and system time.
    private func ticks(at index: Int) -> Int {
        let fields = text("stat").split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > index + 1 ? (Int(fields[index]) ?? 0) + (Int(fields[index + 1]) ?? 0) : 0
    }

    /// A value of the process's status in kB, such as VmRSS or VmHWM.
    package func kilobytes(_ key: String) -> Int {
        let line = text("status").split(separator: "\n").first { $0.hasPrefix(key + ":") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
    }

    /// Number of times that each thread was put to sleep or preempted, by thread.
    package func contextSwitches() -> [String: Int] {
        let counts = threads.map { thread in
            let lines = text("task/\(thread)/status").split(separator: "\n").filter { $0.contains("ctxt_switches") }
            return (thread, lines.compactMap { Int($0.split(separator: "\t").last ?? "") }.reduce(0, +))
        }
        return Dictionary(uniqueKeysWithValues: counts)
    }

    /// The name of each thread.
    package func threadNames() -> [String: String] {
        let names = threads.map { ($0, text("task/\($0)/comm").trimmingCharacters(in: .whitespacesAndNewlines)) }
        return Dictionary(uniqueKeysWithValues: names)
    }

    /// Processor time of the thread of that name, in nanoseconds.
    package func processorTime(ofThread name: String) throws -> Int64 {
        for thread in threads where text("task/\(thread)/comm").hasPrefix(name) {
            return text("task/\(thread)/schedstat").split(separator: " ").first.flatMap { Int64($0) } ?? 0
        }
        throw BenchmarkError("the host has no thread \(name)")
    }

    private var threads: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
    }

    private func text(_ file: String) -> String {
        (try? String(contentsOfFile: "/proc/\(pid)/\(file)", encoding: .utf8)) ?? ""
    }
}

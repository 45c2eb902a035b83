// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// A host of its own in a temporary folder, with two plugins and no spacing between launches. Gone with `stop`.
struct HostUnderTest {
    let folder: String
    private let process: Process

    var socket: String { folder + "/control.sock" }

    /// Where a plugin writes down when it was called.
    func stamps(_ plugin: String) -> String { "\(folder)/state/containers/com.example.\(plugin)/stamps" }

    /// - Parameter plugins: the folder of both libraries: one with an entry, one whose function is bound.
    init(programs: String, plugins: String, flags: [String]) throws {
        folder = NSTemporaryDirectory() + "bgtask-bench-\(getpid())"
        try FileManager.default.createDirectory(atPath: folder + "/manifests", withIntermediateDirectories: true)
        for (name, handlers) in [("Stamp", ""), ("Bare", Self.handlers)] {
            let (file, plugin) = ("lib\(name).so", name.lowercased())
            try FileManager.default.copyItem(atPath: "\(plugins)/\(file)", toPath: "\(folder)/manifests/\(file)")
            let manifest = """
                manifest: 1
                identifier: com.example.\(plugin)
                library: \(file)
                background-modes: [fetch]
                permitted-identifiers: [com.example.\(plugin).refresh]
                \(handlers)
                """
            try manifest.write(toFile: "\(folder)/manifests/\(plugin).yaml", atomically: true, encoding: .utf8)
        }
        process = Process()
        process.executableURL = URL(fileURLWithPath: programs + "/bgtaskd")
        process.arguments =
            [
                "--state-folder", folder + "/state", "--manifests", folder + "/manifests", "--package-manifests",
                folder + "/none", "--plugin-folder", folder + "/none", "--socket", socket, "--spacing", "0ms",
                "--log-level", "error",
            ] + flags
        try process.run()
        while (try? Control(socket: socket)) == nil {
            guard process.isRunning else { throw BenchmarkError("bgtaskd did not start") }
            usleep(10_000)
        }
    }

    private static let handlers = """
        handlers:
          - identifier: com.example.bare.refresh
            symbol: bare_stamp
            arguments: [container-path]
            returns: { int32: success-when-zero }
        """

    func stop() {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Processor time of the host so far, in clock ticks: what an idle host must not use.
    func processorTicks() -> Int {
        let text = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)) ?? ""
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 12 ? (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0) : 0
    }

    /// Times that each of the host's threads was put to sleep or woken, by thread.
    func contextSwitches() -> [String: Int] {
        let folder = "/proc/\(process.processIdentifier)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let counts = threads.map { thread in
            let text = (try? String(contentsOfFile: "\(folder)/\(thread)/status", encoding: .utf8)) ?? ""
            let lines = text.split(separator: "\n").filter { $0.contains("ctxt_switches") }
            return (thread, lines.compactMap { Int($0.split(separator: "\t").last ?? "") }.reduce(0, +))
        }
        return Dictionary(uniqueKeysWithValues: counts)
    }
}

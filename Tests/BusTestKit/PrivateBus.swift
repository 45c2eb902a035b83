// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Glibc

/// A message bus in its own directory, for the duration of one test.
package final class PrivateBus: Sendable {
    /// Whether dbus-daemon and python3-dbusmock are installed.
    package static let isAvailable =
        ChildProcess.succeeds("dbus-daemon", ["--version"])
        && ChildProcess.succeeds(MockServices.python, ["-c", "import dbusmock"])

    private let directory: URL

    package init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "bgtask-bus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try start()
    }

    package var address: String { "unix:path=\(directory.path)/bus" }

    /// Starts the bus again after `stop`, at the same address.
    package func start() throws {
        let configuration = """
            <busconfig>
              <type>system</type>
              <listen>\(address)</listen>
              <pidfile>\(directory.path)/pid</pidfile>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
                <allow own="*"/><allow user="*"/>
              </policy>
            </busconfig>
            """
        try Data(configuration.utf8).write(to: directory.appending(path: "bus.conf"))
        // It forks once it listens.
        guard ChildProcess.succeeds("dbus-daemon", ["--config-file=\(directory.path)/bus.conf", "--fork"]) else {
            throw BusFailure(message: "dbus-daemon does not start in \(directory.path)")
        }
    }

    package func stop() {
        let file = directory.appending(path: "pid")
        guard let text = try? String(contentsOf: file, encoding: .utf8),
            let pid = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)), pid > 1
        else { return }
        kill(pid, SIGKILL)
        try? FileManager.default.removeItem(at: file)
        try? FileManager.default.removeItem(at: directory.appending(path: "bus"))
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: directory)
    }
}

package struct BusFailure: Error, CustomStringConvertible {
    package let message: String
    package var description: String { message }
}

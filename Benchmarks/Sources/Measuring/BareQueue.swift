// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// A process of the program `BareQueue`, in an empty directory on the disk of the benchmarks.
package struct BareQueue {
    private let directory: HostDirectory
    private let process = Process()

    package var socket: String { directory.socket }

    /// Starts the program, and waits until it accepts connections.
    package init(_ programs: Programs) throws {
        directory = try HostDirectory(programs.bench + "/bare-queue", configuration: [])
        process.executableURL = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "BareQueue")
        process.arguments = [directory.socket, directory.path + "/requests.sqlite"]
        try process.run()
        while (try? Control(socket: socket)) == nil {
            guard process.isRunning else { throw BenchmarkError("BareQueue has ended") }
            usleep(1_000)
        }
    }

    package func stop() {
        process.terminate()
        process.waitUntilExit()
        directory.remove()
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem

/// Opens the page in the browser of the user.
enum PageBrowser {
    /// Prints the file that leads to the page, opens it, and returns when the calling task is cancelled.
    static func show(_ file: String, port: Int, opens: Bool) async throws {
        let context = CommandContext.current
        context.writeMessage("the page is on 127.0.0.1:\(port) until Ctrl-C; it opens with file://\(file)")
        if opens, !(await open(file, context.environment)), !Task.isCancelled {
            context.writeMessage(
                "no browser could be opened; open file://\(file) in one, or set the variable \(BrowserVariable.name)"
            )
        }
        while true { try await Task.sleep(for: .seconds(3600)) }
    }

    /// Runs the commands for a file until one succeeds. Returns false when none has.
    static func open(_ file: String, _ environment: [String: String]) async -> Bool {
        for command in BrowserVariable.commands(environment[BrowserVariable.name], for: file) where !Task.isCancelled {
            if (try? await run(command, environment)) == 0 { return true }
        }
        return false
    }

    /// Runs a program to its end, and returns its exit status. A browser that the program leaves has no stream of this
    /// command: the end of a pipe would come with the end of the browser.
    private static func run(_ command: [String], _ environment: [String: String]) async throws -> Int32 {
        let null = try Descriptor(opening: "/dev/null", flags: O_RDWR)
        let streams = [null.number, null.number, null.number]
        let program = try ChildProgram.start(command, environment: environment, streams: streams)
        return try await program.end(onThread: "browser", cancelledBy: SIGTERM)
    }
}

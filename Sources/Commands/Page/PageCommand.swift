// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlClient
import HostPage
import LinuxSystem
import TaskModel

/// `bgtask page`: serves a page about a host for the browser of the calling user, until it is ended.
struct PageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "page",
        abstract: "Show a host in the browser: running and waiting work, plugins, tasks and the journal, live.",
        discussion: """
            The page is served on 127.0.0.1 and ends with the command, by Ctrl-C. It has the rights of the calling \
            user on the control socket; the host itself opens no port. The browser gets the secret of the page from a \
            file that only this user can read.

            Examples:
              bgtask page
              bgtask page --read-only
              bgtask page --no-browser --port 8080
            """
    )

    @Flag(help: "Refuse all calls that change something.")
    var readOnly = false

    @Option(help: ArgumentHelp("The port on 127.0.0.1; any free one by default.", valueName: "number"))
    var port: UInt16 = 0

    @Flag(help: "Print the file that leads to the page instead of opening it.")
    var noBrowser = false

    @OptionGroup var host: HostOptions

    func run() async throws {
        let (choice, context) = (host.choice, CommandContext.current)
        let (readOnly, noBrowser, port, options) = (readOnly, noBrowser, Int(port), host.words)
        let access = PageAccess(token: PageAccess.newToken(), isReadOnly: readOnly)
        let session = PageSession(
            version: Release.version,
            isReadOnly: readOnly,
            hostOptions: options.map(\.shellQuoted).joined(separator: " "),
            timeZone: context.timeZone.identifier
        )
        let parent = Self.parent(of: context.environment)
        try await Interruptible.serving {
            try await ControlClient.withConnection(to: choice.socket, connections: PageServer.hostConnections) { client in
                let facts = context.socketFacts
                let answerer = PageAnswerer(access: access, session: session, client: client) { error in
                    UnreachableAdvice.remedy(for: error, at: choice) { facts(choice.socket) }
                }
                do {
                    try await PageServer.serve(answerer, port: port) { bound in
                        let address = "http://127.0.0.1:\(bound)/#token=\(access.token)"
                        try await OpeningFile.with(address, in: parent) { file in
                            try await PageBrowser.show(file, port: bound, opens: !noBrowser)
                        }
                    }
                } catch let error as CancellationError {
                    throw error
                } catch {
                    throw CommandFailure(
                        .refused,
                        "cannot serve the page on 127.0.0.1:\(port): \(error)",
                        remedy: "choose a free port with --port, or leave it out"
                    )
                }
            }
        }
    }

    /// The directory for the file of the browser: that of the user's session, which other users cannot enter.
    private static func parent(of environment: [String: String]) -> String {
        ["XDG_RUNTIME_DIR", "TMPDIR"].lazy.compactMap { environment[$0] }.first { $0.hasPrefix("/") } ?? "/tmp"
    }
}

/// Opens the page in the browser of the user.
enum PageBrowser {
    /// Prints the file that leads to the page, opens it, and returns when the calling task is cancelled.
    static func show(_ file: String, port: Int, opens: Bool) async throws {
        let context = CommandContext.current
        context.writeMessage("the page is on 127.0.0.1:\(port) until Ctrl-C; it opens with file://\(file)")
        if opens, !(await open(file, context.environment)) {
            context.writeMessage("no browser could be opened; open file://\(file) in one, or set the variable BROWSER")
        }
        while true { try await Task.sleep(for: .seconds(3600)) }
    }

    /// Returns false when no browser could be started.
    private static func open(_ file: String, _ environment: [String: String]) async -> Bool {
        let program = environment["BROWSER"].flatMap { $0.isEmpty ? nil : $0 } ?? "xdg-open"
        do {
            return try await ForegroundProcess.run([program, file], environment: environment) { _, _ in } == 0
        } catch {
            return false
        }
    }
}

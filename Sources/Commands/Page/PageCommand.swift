// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlClient
import FoundationEssentials
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
        let access = PageAccess(token: PageAccess.newToken(), isReadOnly: readOnly)
        let session = PageSession(
            version: Release.version,
            isReadOnly: readOnly,
            hostOptions: "--socket \(FilePlace.absolute(choice.socket).shellQuoted)",
            timeZone: host.namesSocket ? nil : context.timeZone.identifier
        )
        let (port, opens, parent) = (Int(port), !noBrowser, Self.parent(of: context.environment))
        try await Interruptible.serving {
            let limit = PageServer.hostConnections
            try await ControlClient.withConnection(to: choice.socket, connections: limit) { client in
                let answerer = PageAnswerer(access: access, session: session, client: client) { error in
                    UnreachableAdvice.remedy(for: error, at: choice) { context.socketFacts(choice.socket) }
                }
                try await Self.serve(answerer, port: port) { bound in
                    let address = "http://127.0.0.1:\(bound)/#token=\(access.token)"
                    try await OpeningFile.with(address, in: parent) { file in
                        try await PageBrowser.show(file, port: bound, opens: opens)
                    }
                }
            }
        }
    }

    private static func serve(
        _ answerer: PageAnswerer,
        port: Int,
        onListening: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        do {
            try await PageServer.serve(answerer, port: port, onListening: onListening)
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

    /// The directory for the file of the browser: that of the user's session, which other users cannot enter.
    private static func parent(of environment: [String: String]) -> String {
        ["XDG_RUNTIME_DIR", "TMPDIR"].lazy.compactMap { environment[$0] }.first { $0.hasPrefix("/") } ?? "/tmp"
    }
}

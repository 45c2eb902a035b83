// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
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

            With -H before the command, the host is that of another machine, whose control socket ssh forwards until \
            the command ends.

            Examples:
              bgtask page
              bgtask page --read-only
              bgtask -H web-1 page
              bgtask page --no-browser
            """
    )

    /// The machine of `-H`; nil for the host of this machine.
    @TaskLocal static var remote: RemotePage?

    @Flag(help: "Refuse all calls that change something.")
    var readOnly = false

    @Option(
        help: ArgumentHelp("The port on 127.0.0.1, from 1024 to 65535; any free one by default.", valueName: "number")
    )
    var port: UInt16 = 0

    @Flag(help: "Print the file that leads to the page instead of opening it.")
    var noBrowser = false

    // `bgtask -H HOST page` runs this on the other machine.
    @Flag(help: ArgumentHelp("Print the place of the host as JSON instead of serving.", visibility: .hidden))
    var `where` = false

    @OptionGroup var host: HostOptions

    func validate() throws {
        if port != 0, port < 1024 {
            throw ValidationError("--port \(port) is below 1024; choose a port from 1024 to 65535, or leave it out")
        }
    }

    func run() async throws {
        let context = CommandContext.current
        if `where` { return try context.write(String(decoding: WireCoding.encode(place), as: UTF8.self) + "\n") }
        try await Interruptible.serving {
            guard let remote = Self.remote else { return try await serve(place, at: place.socket, nil) }
            let place = try await remote.place(host)
            let parent = Self.parent(of: CommandContext.current.environment)
            try await remote.forwarding(place, in: parent) { try await serve(place, at: $0, $1) }
        }
    }

    /// The place of the host of this machine.
    private var place: PagePlace {
        PagePlace(socket: FilePlace.absolute(host.choice.socket))
    }

    /// Serves the page of the host at a place.
    ///
    /// - Parameters:
    ///   - socket: the socket of this machine that leads to the host.
    ///   - printed: the last line of `ssh`; nil for the host of this machine.
    private func serve(_ place: PagePlace, at socket: String, _ printed: LastLine?) async throws {
        let (choice, context, remote) = (host.choice, CommandContext.current, Self.remote)
        let access = PageAccess(token: PageAccess.newToken(), isReadOnly: readOnly)
        let session = PageSession(
            version: Release.version,
            isReadOnly: readOnly,
            remoteHost: remote?.host.name,
            hostOptions: "--socket \(place.socket.shellQuoted)"
        )
        let (port, opens, parent) = (Int(port), !noBrowser, Self.parent(of: context.environment))
        try await ControlClient.withConnection(to: socket, connections: PageServer.hostConnections) { client in
            let answerer = PageAnswerer(access: access, session: session, client: client) { error in
                if let remote, let printed { return remote.remedy(after: printed) }
                return UnreachableAdvice.remedy(for: error, at: choice) { context.socketFacts(choice.socket) }
            }
            try await Self.serve(answerer, port: port) { bound in
                let address = "http://127.0.0.1:\(bound)/#token=\(access.token)"
                try await OpeningFile.with(address, in: parent) { file in
                    try await PageBrowser.show(file, port: bound, opens: opens)
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

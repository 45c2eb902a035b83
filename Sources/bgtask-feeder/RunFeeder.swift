// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
@preconcurrency import Dispatch
import Fleet
import FleetFeeder
import Glibc

/// `bgtask-feeder run`: the feeder of one host, until SIGTERM or Ctrl-C.
struct RunFeeder: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Claim work of the fleet for the host of this machine, and report its ends.",
        discussion: """
            The host decides when the work runs. It accepts work for the plugins of its configuration key \
            fleet.plugins. One feeder runs for each host: a second one ends the first. The feeder needs the role submit \
            at the control socket, and the login role of the database with which the host is enrolled.

            Example:
              PGSERVICE=fleet bgtask-feeder run --host web-1
            """
    )

    @Option(
        help: ArgumentHelp("The name under which the host is enrolled.", valueName: "name"),
        transform: FleetName.parsed
    )
    var host: FleetName

    @Option(
        help: ArgumentHelp("Claim only for this group of the host; repeat it for several.", valueName: "group"),
        transform: FleetName.parsed
    )
    var group: [FleetName] = []

    @Option(help: ArgumentHelp("The control socket of the host.", valueName: "path"))
    var socket = HostPaths.system.controlSocket

    @Option(help: ArgumentHelp("Largest number of claims that the host holds.", valueName: "number"))
    var claims = 1_000

    @OptionGroup var database: DatabaseOptions

    func validate() throws {
        // The database has the same limit.
        guard (1...1_000).contains(claims) else {
            throw ValidationError("--claims is \(claims); choose a whole number from 1 to 1000")
        }
    }

    func run() async throws {
        var settings = FeederSettings(host: host, groups: group)
        settings.maximumClaims = claims
        let (chosen, connection, socket) = (settings, database.connection, socket)
        let work = Task {
            try await ControlClient.withConnection(to: socket) { client in
                var feeder = Feeder(
                    settings: chosen,
                    host: FeederHost(client, lease: "fleet"),
                    database: connection
                ) { message in
                    StandardError.write(message)
                }
                try await feeder.run()
            }
        }
        // The claims stay with the host: it goes on with them until its trust in the lease ends.
        let signals = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { work.cancel() }
            source.resume()
            return source
        }
        defer { for source in signals { source.cancel() } }
        try await work.value
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import LinuxSystem

/// `bgtask metrics`: prints the metrics of a host, writes them to a file, or serves them over HTTP until it is ended.
struct MetricsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics",
        abstract: "Print or serve metrics for Prometheus.",
        discussion: """
            Without options it prints the metrics. --listen serves GET /metrics until Ctrl-C, with the rights of the \
            calling user on the control socket; the host itself opens no port. --textfile replaces a file for the \
            textfile collector of node_exporter, whose name has to end with .prom, and ends.

            Examples:
              bgtask metrics
              bgtask metrics --listen 127.0.0.1:9750
              bgtask metrics --textfile /var/lib/prometheus/node-exporter/bgtask.prom
            """
    )

    @Option(
        help: ArgumentHelp(
            "Serve GET /metrics at this address; a port alone means 127.0.0.1.",
            valueName: "address"
        ),
        transform: Self.address
    )
    var listen: ListenAddress?

    @Option(help: ArgumentHelp("Replace this file with the metrics, in one step.", valueName: "file"))
    var textfile: String?

    @Flag(name: .customLong("openmetrics"), help: "Print OpenMetrics 1.0 instead of the format of Prometheus.")
    var openMetrics = false

    @OptionGroup var host: HostOptions

    func validate() throws {
        if listen != nil, textfile != nil {
            throw ValidationError("--listen and --textfile exclude each other; give one of them")
        }
        if openMetrics, listen != nil {
            throw ValidationError("the clients of --listen choose the format; leave --openmetrics out")
        }
        if openMetrics, textfile != nil {
            throw ValidationError("node_exporter reads only the format of Prometheus; leave --openmetrics out")
        }
        if let textfile, !textfile.hasSuffix(".prom") {
            throw ValidationError("--textfile \(textfile) does not end with .prom; node_exporter reads no other file")
        }
    }

    func run() async throws {
        if let listen {
            try await serve(on: listen)
        } else {
            let format: MetricsFormat = openMetrics ? .openMetrics : .prometheus
            let text = try await host.connected { try await $0.metrics(format) }
            if let textfile { try write(text, to: textfile) } else { try CommandContext.current.write(text) }
        }
    }

    private func write(_ text: String, to file: String) throws {
        do {
            try AtomicFile.replace(FilePlace.absolute(file), with: Array(text.utf8))
        } catch {
            throw CommandFailure(.refused, "\(error)", remedy: "give a file in a directory that you may write to")
        }
    }

    /// Serves until the user presses Ctrl-C or a signal ends the command. A host that does not answer is no reason to
    /// end: its clients receive the status 503 until it answers.
    private func serve(on address: ListenAddress) async throws {
        let context = CommandContext.current
        if !address.isLoopback {
            context.writeMessage(
                "\(address.host) may be reachable from other machines; the metrics name plugins and have no password"
            )
        }
        let (socket, listening) = (host.choice.socket, "serving http://")
        try await Interruptible.run {
            do {
                try await ControlClient.withConnection(to: socket) { client in
                    try await MetricsListener.serve(on: address) { bound in
                        context.writeMessage("\(listening)\(bound)/metrics from the host at \(socket)")
                    } metrics: { format in
                        do throws(ControlError) {
                            return .metrics(try await client.metrics(format))
                        } catch {
                            return .unavailable(error.description)
                        }
                    }
                }
            } catch {
                throw CommandFailure(
                    .refused,
                    "cannot listen at \(address.host):\(address.port): \(error)",
                    remedy: "choose a free port and an address of this machine"
                )
            }
        }
    }

    private static func address(_ text: String) throws -> ListenAddress {
        if let address = ListenAddress(text) { return address }
        throw ValidationError("\"\(text)\" is no address to listen at; \(ListenAddress.rule)")
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlClient
import LinuxSystem
import NIOSSL
import PushGateway
import TaskModel

/// `bgtask push serve`: serves remote senders of pushes until it is ended.
struct PushServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Accept pushes by Apple's protocol and by webhooks, and pass them to the host.",
        discussion: """
            The gateway serves the provider protocol of Apple's push service over HTTP/2, so that its clients work \
            unchanged, and has a secret address for each webhook. It is a process of its own: it needs only the role \
            submit at the control socket. It runs until Ctrl-C or SIGTERM, and then answers the requests in progress.

            bgtask push key add lets senders in. Without --cleartext it needs a certificate and its key.

            Examples:
              bgtask push serve --tls-certificate server.pem --tls-key server.key
              bgtask push serve --cleartext --listen 127.0.0.1:8080
            """
    )

    @Option(
        help: ArgumentHelp("The address and the port; a port alone means 127.0.0.1.", valueName: "address"),
        transform: Self.address
    )
    var listen = ListenAddress.loopback(port: 2197)

    @Option(help: ArgumentHelp("The certificate chain, in PEM.", valueName: "file"), completion: .file())
    var tlsCertificate: String?

    @Option(help: ArgumentHelp("The private key of the certificate, in PEM.", valueName: "file"), completion: .file())
    var tlsKey: String?

    @Flag(help: "Serve without TLS, for a proxy on this machine.")
    var cleartext = false

    @Option(help: ArgumentHelp("Pushes in a second that each key and webhook may send.", valueName: "number"))
    var rate = 50

    @Option(help: ArgumentHelp("Pushes at once that each key and webhook may send.", valueName: "number"))
    var burst = 500

    @OptionGroup var options: PushKeyOptions
    @OptionGroup var host: HostOptions

    private static let limits = 1...1_000_000

    func validate() throws {
        if cleartext, tlsCertificate != nil || tlsKey != nil {
            throw ValidationError("--cleartext excludes --tls-certificate and --tls-key; give one of them")
        }
        if !cleartext, tlsCertificate == nil || tlsKey == nil {
            throw ValidationError("give --tls-certificate and --tls-key, or --cleartext behind a proxy of this machine")
        }
        if cleartext, !listen.isLoopback {
            throw ValidationError("--cleartext is for the loopback interface only; listen at 127.0.0.1, or use TLS")
        }
        guard Self.limits.contains(rate), Self.limits.contains(burst) else {
            throw ValidationError("--rate and --burst are whole numbers from 1 to 1000000")
        }
    }

    func run() async throws {
        let (listen, context) = (listen, CommandContext.current)
        let keys = try keyStore(context)
        let tls = try tlsContext()
        let (socket, limits) = (host.choice.socket, FloodLimits(rate: rate, burst: burst))
        let scheme = cleartext ? "http" : "https"
        let reports = ReportLimiter()
        try await Interruptible.serving {
            try await ControlClient.withConnection(to: socket, connections: GatewayLimits.hostConnections) { client in
                let host = HostAtSocket(client) { message in
                    if let message = reports.message(message, at: .now) { context.writeMessage(message) }
                }
                let comparison = Task {
                    let patterns = keys.keys(at: .now).patterns
                    for remark in await PushReceivers.remarks(about: patterns, on: client) {
                        context.writeMessage(remark)
                    }
                }
                defer { comparison.cancel() }
                let times = Gateway.Times(monotonic: { .now }, wall: { .now })
                let gateway = Gateway(keys: keys.keys, limits: limits, host: host, times: times)
                do {
                    try await GatewayServer.serve(gateway, on: listen, tls: tls) { bound in
                        context.writeMessage("serving \(scheme)://\(bound) for the host at \(socket)")
                    }
                } catch {
                    throw CommandFailure(
                        .refused,
                        "cannot listen at \(listen.host):\(listen.port): \(error)",
                        remedy: "choose a free port and an address of this machine"
                    )
                }
            }
        }
    }

    private func keyStore(_ context: CommandContext) throws -> KeyStore {
        let directory = options.directory(host)
        do throws(SystemError) {
            return try KeyStore(directory, at: .now) { context.writeMessage($0) }
        } catch {
            throw CommandFailure(
                .refused,
                "the keys cannot be read: \(error)",
                remedy: "add a key with: bgtask push key add, or name the directory with --keys"
            )
        }
    }

    private func tlsContext() throws -> NIOSSLContext? {
        guard let tlsCertificate, let tlsKey else { return nil }
        do {
            return try .gateway(certificate: tlsCertificate, key: tlsKey)
        } catch {
            throw CommandFailure(
                .refused,
                "the certificate \(tlsCertificate) and the key \(tlsKey) cannot be used: \(error)",
                remedy: "give a certificate chain and its private key in PEM, which this user may read"
            )
        }
    }

    private static func address(_ text: String) throws -> ListenAddress {
        if let address = ListenAddress(text) { return address }
        throw ValidationError("\"\(text)\" is no address to listen at; \(ListenAddress.rule)")
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import HostBackup
import HostConfiguration
import LinuxSystem

/// `bgtask host backup`: writes the state of a host, which may run, into one file.
struct HostBackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Write the ledger, the trusted keys and, on request, the containers of a host into one file.",
        discussion: """
            The host may run meanwhile. The command reads the state directory itself: run it as the host's own user or \
            as root, with the options of bgtaskd. The file is a tar file with access for its owner only. It contains \
            payloads; it contains no secret settings, no configuration, no logs and no files of plugins.

            Example:
              sudo bgtask host backup /var/backups/bgtask.tar --system --containers

            Exit codes: 0 done, 1 refused, 2 misuse.
            """
    )

    @Argument(help: ArgumentHelp("The file to write.", valueName: "file"))
    var file: String

    @Flag(help: "Include the containers of plugins.")
    var containers = false

    @Flag(help: "Replace an existing file.")
    var force = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var host: HostFlags

    func run() async throws {
        let configuration = try BackupConfiguration.read(host)
        var reply = try await Interruptions.deferred {
            try HostBackup(configuration, hasContainers: containers)
                .write(to: FilePlace.absolute(file), replaces: force, at: CommandContext.current.now())
        }
        if reply.isRunning { await record(&reply, configuration) }
        try OutputOptions(json: json).show(reply)
        if reply.hasChangedContainers {
            CommandContext.current.writeMessage(
                "files of containers changed while they were read: their plugins run; for unchanged ones, stop the host"
                    + " and make the backup again"
            )
        }
    }

    /// Lets the running host record the backup. The backup is complete also when this fails.
    private func record(_ reply: inout BackupReply, _ configuration: HostConfiguration) async {
        let report = BackupReport(file: reply.file, sha256: reply.sha256)
        let socket = configuration.controlSocket
        do {
            reply.isJournaled = try await ControlClient.withConnection(to: socket, answerTimeout: .seconds(30)) {
                host in
                // Another host would record a backup that is not its own.
                let theirs = try await host.host().stateDirectory
                guard theirs == configuration.stateDirectory || FilePlace.isSame(theirs, configuration.stateDirectory)
                else { return false }
                _ = try await host.record(report)
                return true
            }
            if reply.isJournaled { return }
            CommandContext.current.writeMessage(
                "the backup is complete, but the host at \(socket) uses another state directory, and did not record it;"
                    + " name the socket of this host with --socket"
            )
        } catch {
            CommandContext.current.writeMessage("the backup is complete, but the host did not record it: \(error)")
        }
    }
}

/// The configuration for backups and restores.
enum BackupConfiguration {
    /// Reads configuration file and flags. Throws for a problem, because the places of the state would be uncertain.
    static func read(_ flags: HostFlags) throws -> HostConfiguration {
        let reading = flags.read()
        guard let problem = reading.problems.first else { return reading.configuration }
        throw CommandFailure(
            .refused,
            problem,
            remedy: "correct the configuration; bgtask host check shows all problems"
        )
    }
}

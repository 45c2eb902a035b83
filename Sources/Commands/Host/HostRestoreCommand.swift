// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import HostBackup
import HostConfiguration
import LinuxSystem

/// `bgtask host restore`: restores a backup into an empty state directory.
struct HostRestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore a backup into the empty state directory of a host that does not run.",
        discussion: """
            Restores everything, or nothing. Run the command as the host's own user or as root, with the options of \
            bgtaskd. A file of trusted or revoked keys is restored only where it is missing. Tasks that ran at the \
            time of the backup are interrupted; ended tasks do not run again. The output names the plugins that have \
            to be installed again. Restore only a file whose origin you trust.

            Example:
              sudo bgtask host restore /var/backups/bgtask.tar --system

            Exit codes: 0 done, 1 refused, 2 misuse.
            """
    )

    @Argument(help: ArgumentHelp("The backup.", valueName: "file"))
    var file: String

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var host: HostFlags

    func run() async throws {
        let configuration = try BackupConfiguration.read(host)
        let reply = try await Interruptions.deferred {
            try HostRestore(configuration)
                .restore(from: FilePlace.absolute(file), at: CommandContext.current.now())
        }
        try OutputOptions(json: json).show(reply)
    }
}

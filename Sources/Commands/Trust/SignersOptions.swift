// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import ControlClient
import Foundation
import HostConfiguration
import LinuxSystem
import PluginInstaller
import Signatures

/// The options that select a signers file: `--signers` names it directly; otherwise it is the file of the host that
/// `host` selects.
struct SignersOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The signers file, instead of the host's.", valueName: "file"))
    var signers: String?

    @OptionGroup var host: HostOptions

    /// Path of the signers file: the value of `--signers`, or else the path that the running host reports. Without a
    /// running host, the default path of the host that `--system` or `--user` selects. Throws without these options,
    /// and when the running host has no signers file.
    func path() async throws -> String {
        if let signers { return FilePlace.absolute(signers) }
        do {
            let status = try await host.connected { try await $0.host() }
            if let path = status.provenance.signers { return path }
            throw CommandFailure(
                .refused,
                "the host has no signers file",
                remedy: "name one under provenance.signers in bgtaskd.yaml and restart the host, or give --signers FILE"
            )
        } catch let failure as CommandFailure where failure.status == .unreachable {
            if host.system { return HostPaths.system.signersFile }
            if host.user { return HostPaths.user(environment: CommandContext.current.environment).signersFile }
            let remedy =
                "or select the file without a host, with \(host.socket == nil ? "--user, --system or " : "")--signers"
            throw CommandFailure(
                .unreachable,
                failure.message,
                remedy: failure.remedy.map { "\($0); \(remedy)" } ?? remedy
            )
        }
    }

    /// The lock of the file's directory: a second command would otherwise replace the change of the first one. Nil when
    /// the directory is missing.
    static func lock(_ path: String) throws -> DirectoryLock? {
        try DirectoryLock(on: FilePlace.directory(of: path), attempts: 100)
    }

    /// The text of the file; empty when there is no file.
    static func text(of path: String) throws -> String {
        if !FilePlace.exists(path) { return "" }
        do {
            return String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
        } catch {
            throw CommandFailure(
                .refused,
                "the signers file \(path) cannot be read: \(error.systemMessage)",
                remedy: "run the command as a user who may read the file, or name another file with --signers"
            )
        }
    }

    static func write(_ text: String, to path: String) throws {
        do throws(SystemError) {
            try AtomicFile.replace(path, with: Array(text.utf8))
        } catch {
            throw CommandFailure(
                .refused,
                "\(error)",
                remedy: "check that the directory of this file exists and has free space, and that this user may"
                    + " write to it"
            )
        }
    }
}

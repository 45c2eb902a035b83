// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import Glibc
import LinuxSystem
import PluginInstaller
import PushGateway

/// The option that names the directory of the gateway's keys.
struct PushKeyOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The directory of the keys, instead of the default one.", valueName: "directory"))
    var keys: String?

    /// The directory: the value of `--keys`, or else that of the system or of the user, as the options of the host
    /// select.
    func directory(_ host: HostOptions) -> KeyDirectory {
        if let keys { return KeyDirectory(FilePlace.absolute(keys)) }
        let context = CommandContext.current
        let isSystem = host.system || context.isRoot && !host.user
        let paths: HostPaths = isSystem ? .system : .user(environment: context.environment)
        return KeyDirectory(paths.pushKeyDirectory)
    }

    /// The keys of the directory; empty when the directory is missing.
    static func read(_ directory: KeyDirectory) throws -> KeySet {
        if !FilePlace.exists(directory.path) { return KeySet() }
        do throws(SystemError) {
            return try directory.read()
        } catch {
            throw CommandFailure(.refused, "\(error)", remedy: "run the command as a user who may read the directory")
        }
    }

    /// Changes the directory under its lock.
    static func change(
        _ directory: KeyDirectory,
        isCreating: Bool = false,
        _ change: (KeySet) throws -> Void
    ) throws {
        let isNew = isCreating && !FilePlace.exists(directory.path)
        let lock = try DirectoryLock(on: directory.path, isCreating: isCreating, attempts: 100)
        defer { withExtendedLifetime(lock) {} }
        // The gateway of the package has another user, and must list the directory whatever the umask of root is.
        if isNew { chmod(directory.path, 0o755) }
        do {
            try change(try read(directory))
        } catch let error as SystemError {
            throw CommandFailure(
                .refused,
                "\(error)",
                remedy: "check that the directory has free space, and that this user may write to it"
            )
        }
    }
}

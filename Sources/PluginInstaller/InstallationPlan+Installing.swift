// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlClient
import LinuxSystem
import PluginCatalogue
import TaskModel

// Execution of a plan: all files are in place and the host has the plugin, or everything is as before.
extension InstallationPlan {
    package enum Verdict: Hashable, Sendable {
        /// No running host that uses the directories of this installation was reached.
        case noHost
        case accepted
        /// The host uses the new version, but a launch still has to load the library of the previous version.
        case loadingPrevious
        /// The host has not stated its verdict about the installation within `HostVerdict.timeout`.
        case silent
    }

    package struct Installation: Hashable, Sendable {
        package let verdict: Verdict
        /// Paths of files of previous versions that still exist, because they are or may be in use, or could not be
        /// deleted.
        package let left: [String]
    }

    /// Writes all files of the plan, the manifest last, waits for the host's verdict, and deletes the superseded files
    /// once the new version is in effect. When a step fails or the host refuses the plugin, rolls back all files and
    /// throws.
    package func install() async throws -> Installation {
        var exchange = FileExchange()
        var staged: [FileExchange.Staged] = []
        do {
            if let library = libraryTarget, !library.isThere {
                staged.append(try exchange.stage(copyOf: self.library.path, at: library.path))
            }
            if let library = libraryTarget { try check(staged.first?.path ?? library.path) }
            for file in files where !file.isThere {
                let copy = try exchange.stage(copyOf: file.source, at: file.target)
                staged.append(copy)
                guard InstalledLibrary.holds(digest: file.digest, at: copy.path) else {
                    throw Self.changed(file.source)
                }
            }
            if let signature { staged.append(try exchange.stage(signature.bytes, at: signature.target)) }
            staged.append(try exchange.stage(bytes, at: manifestTarget))
            // The library first: the host reads it only once the manifest exists.
            for file in staged { try exchange.put(file) }
            let verdict = try await self.verdict()
            exchange.keep()
            let isTaken = verdict == .noHost || verdict == .accepted
            let left = isTaken ? superseded.delete() : superseded.paths.filter(FilePlace.exists)
            return Installation(verdict: verdict, left: left)
        } catch {
            throw exchange.takeBack(staged, after: error)
        }
    }

    private func check(_ library: String) throws {
        if InstalledLibrary.holds(self.library, at: library) { return }
        throw Self.changed(self.library.path)
    }

    private static func changed(_ file: String) -> InstallationError {
        InstallationError(
            "\(file) changed after it was checked, so the installation was undone",
            remedy: "install the plugin again"
        )
    }

    private func verdict() async throws -> Verdict {
        guard let host = place.host else { return .noHost }
        return try await ControlClient.withConnection(to: host.socket) { client in
            let host = HostVerdict(client: client)
            switch try await host.onInstallation(of: self, digest: digest) {
            case .accepted:
                for library in superseded.paths {
                    guard try await host.onLoading(of: library, by: identifier) else { return .loadingPrevious }
                }
                return .accepted
            case .gone, .silent: return .silent
            case .refused(let problems):
                throw InstallationError(
                    "the host refuses \(identifier), so the installation was undone; the host's reasons:"
                        + " \(problems.joined(separator: "; "))"
                )
            }
        }
    }
}

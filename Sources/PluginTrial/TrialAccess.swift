// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
import SandboxPolicy
package import TaskModel

/// The access of a plugin on trial to files: its user, and the paths that its manifest grants.
package struct TrialAccess: Hashable, Sendable {
    let user: String
    let paths: [GrantedPath]
    /// Whether the sandbox refuses every path without a grant.
    let isConfined: Bool

    package init(of subject: TrialSubject) {
        user = Account.name(of: subject.user ?? geteuid())
        paths = GrantedPath.all(of: subject.grants, for: UserAccess(user: subject.user))
        isConfined = subject.sandboxes.isolation != .off && subject.sandboxes.mechanisms.landlock != nil
    }

    init(user: String, paths: [GrantedPath], isConfined: Bool) {
        self.user = user
        self.paths = paths
        self.isConfined = isConfined
    }

    /// The line for the user before the first launch: the user of the plugin and the granted paths.
    package var summary: String {
        let list =
            paths.isEmpty
            ? "none outside of its container" : paths.map { "\($0.path) (\($0.key))" }.joined(separator: ", ")
        return "the plugin runs as the user \(user); granted paths: "
            + (isConfined ? list : "all of this user, because no sandbox confines files")
    }

    /// One message for each granted path that the plugin cannot use.
    package var warnings: [String] {
        paths.compactMap { path in
            switch path.obstacle {
            case .missing:
                "the granted path \(path.path) (\(path.key)) does not exist; create it, or correct the manifest"
            case .refused(let file):
                "the granted path \(path.path) (\(path.key)) is closed to the user \(user) by the mode of \(file);"
                    + " give this user access, or run the command as a user who has it"
            case nil: nil
            }
        }
    }

    /// The hint after a failed run whose texts contain `EACCES` or "permission denied"; nil when they contain neither,
    /// and without a sandbox of files. Nil, too, when the manifest grants paths: `warnings` about them precede the run.
    ///
    /// - Parameter texts: log, output and messages of the plugin.
    package func hint(after texts: [String]) -> String? {
        guard isConfined, paths.isEmpty, texts.contains(where: Self.mentionsRefusal) else { return nil }
        return "the sandbox answers EACCES for each path that is not granted; add the path to grants in the manifest if"
            + " the plugin needs it"
    }

    private static func mentionsRefusal(_ text: String) -> Bool {
        text.contains("EACCES") || text.lowercased().contains("permission denied")
    }
}

extension TaskOutcome {
    /// Whether the outcome may follow from a system call that was refused for lack of a grant: the plugin failed the
    /// task, crashed or exited, or its entry or loading failed.
    package var mayHaveMissedGrant: Bool {
        switch self {
        case .failed, .crashed, .exited, .entryFailed, .loadFailed: true
        default: false
        }
    }
}

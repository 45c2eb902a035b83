// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// Network and mount namespaces, in which names and addresses lead where a test wants.
package enum Namespaces {
    /// Whether this user may make them: root, or a user with unprivileged user namespaces.
    package static let arePermitted: Bool = {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/unshare")
        process.arguments = ["--mount", "--net"] + (geteuid() == 0 ? [] : ["--map-root-user"]) + ["true"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()
}

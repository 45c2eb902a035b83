// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The facts about `bgtask page` that its scripts need.
package struct PageSession: Encodable, Sendable {
    /// The path at which the scripts ask for them.
    static let path = "/session"

    let version: String
    let readOnly: Bool
    /// The machine of `-H`; nil for this one.
    let remoteHost: String?
    /// The options that choose the same host on a terminal, such as `--socket /run/bgtask/control.sock`.
    let hostOptions: String

    private enum CodingKeys: String, CodingKey {
        case version
        case readOnly = "read_only"
        case remoteHost = "remote_host"
        case hostOptions = "host_options"
    }

    package init(version: String, isReadOnly: Bool, remoteHost: String?, hostOptions: String) {
        self.version = version
        readOnly = isReadOnly
        self.remoteHost = remoteHost
        self.hostOptions = hostOptions
    }
}

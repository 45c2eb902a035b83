// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// One right of a manifest's grants, to compare the rights of two versions of a plugin.
package enum GrantedRight: Hashable, Sendable {
    package enum Access: String, Hashable, Sendable, CaseIterable {
        case read
        /// Write access, which includes read access.
        case write
        /// Access to execute a program or to load a library, which includes read access.
        case execute

        func includes(_ other: Access) -> Bool { self == other || other == .read }
    }

    /// Internet sockets of TCP and UDP, to every address and port.
    case network
    /// Connections to a TCP port of every address.
    case connect(Int)
    /// Connections that arrive at a TCP port.
    case listen(Int)
    /// Connections to a Unix socket, or to the sockets in a directory.
    case unix(String)
    case gpu
    case processes
    /// Access to a file, or to a directory with everything below it.
    case path(Access, String)
    /// Access to the path in a setting. `defaultPath` is the manifest's default value of the setting; nil when it is
    /// missing or no absolute path.
    case setting(key: String, Access, defaultPath: String?)
    /// Health research requests.
    case healthResearch

    /// Whether `rights` permit all that this right permits. The operator chooses the value of a setting: a right to a
    /// setting needs a right to the same setting, and a changed default path needs a right to that path as well.
    package func isIncluded(in rights: [GrantedRight]) -> Bool {
        switch self {
        case .network, .processes, .gpu, .healthResearch: rights.contains(self)
        case .connect, .listen: rights.contains(self) || rights.contains(.network)
        case .unix(let path):
            rights.contains { right in
                guard case .unix(let directory) = right else { return false }
                return Self.contains(directory, path)
            }
        case .path(let access, let path):
            rights.contains { right in
                guard case .path(let granted, let directory) = right else { return false }
                return granted.includes(access) && Self.contains(directory, path)
            }
        case .setting(let key, let access, let path):
            rights.contains { right in
                guard case .setting(key, let granted, let before) = right, granted.includes(access) else {
                    return false
                }
                return path.map { $0 == before || Self.path(access, $0).isIncluded(in: rights) } ?? true
            }
        }
    }

    private static func contains(_ directory: String, _ path: String) -> Bool {
        // A default value of a setting may lead out of the directory.
        directory == path || !path.split(separator: "/").contains("..") && PathRelation.contains(directory, path)
    }

    /// The right as one line of a canonical text. Two rights are equal if and only if their lines are equal: each text
    /// from the manifest is preceded by its length in bytes.
    package var canonicalText: String {
        switch self {
        case .network: "network"
        case .connect(let port): "connect \(port)"
        case .listen(let port): "listen \(port)"
        case .unix(let path): "unix \(Self.counted(path))"
        case .gpu: "gpu"
        case .processes: "processes"
        case .path(let access, let path): "\(access.rawValue) \(Self.counted(path))"
        case .setting(let key, let access, let path):
            "setting \(access.rawValue) \(Self.counted(key)) \(path.map(Self.counted) ?? "none")"
        case .healthResearch: "health-research"
        }
    }

    /// The right as a phrase that follows "may".
    package var phrase: String {
        switch self {
        case .network: "use the network"
        case .connect(let port): "connect to TCP port \(port) of every address"
        case .listen(let port): "accept connections at TCP port \(port)"
        case .unix(let path): "connect to the Unix socket \(path)"
        case .gpu: "use the graphics processors, also in continued tasks"
        case .processes: "start processes"
        case .path(let access, let path): "\(Self.verb(access)) \(path)"
        case .setting(let key, let access, let path):
            "\(Self.verb(access)) the path in the setting \(key)" + (path.map { ", by default \($0)" } ?? "")
        case .healthResearch: "submit health research requests"
        }
    }

    private static func verb(_ access: Access) -> String {
        switch access {
        case .read: "read"
        case .write: "read and write"
        case .execute: "execute"
        }
    }

    private static func counted(_ text: String) -> String { "\(text.utf8.count):\(text)" }
}

extension Grants {
    /// The rights that the grants give, in the order of the manifest's keys. Health research requests are no part of
    /// `Grants`.
    ///
    /// - Parameter settings: the settings of the manifest with their default values.
    package func rights(settings defaults: [String: String]) -> [GrantedRight] {
        let named: [(GrantedRight.Access, [String])] = [(.read, read), (.write, write), (.execute, execute)]
        let paths = named.flatMap { access, paths in paths.map { GrantedRight.path(access, $0) } }
        let ofSettings = settings.map { setting in
            GrantedRight.setting(
                key: setting.key,
                setting.access == .write ? .write : .read,
                defaultPath: defaults[setting.key].flatMap { $0.hasPrefix("/") ? $0 : nil }
            )
        }
        let sockets = connect.map(GrantedRight.connect) + listen.map(GrantedRight.listen) + unix.map(GrantedRight.unix)
        let others = (gpu ? [GrantedRight.gpu] : []) + (processes ? [.processes] : [])
        return (network ? [.network] : []) + sockets + others + paths + ofSettings
    }
}

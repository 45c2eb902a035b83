// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Glibc
import HostConfiguration
import Logging

/// The listening socket of the control API: bound by the host, or passed by the service manager.
struct ControlSocket: Sendable {
    let path: String
    let groups: SocketGroups
    /// The socket that the service manager passed; nil when the host binds its own.
    let activated: ActivatedSocket?
    let log: Logger

    /// Maximum length of a socket's path in bytes: `sun_path` without its final zero.
    private static let longestPath = 107
    /// Maximum number of callers that wait to be accepted.
    private static let backlog: CInt = 1_024

    /// Prepares the path of the socket. Throws when the path cannot be used, for example because another process
    /// listens on it. The socket of a host that has ended stays until `listen` replaces it.
    func prepare() throws(HostError) {
        if let activated { return try activated.checkPath(path) }
        let directory = (path as NSString).deletingLastPathComponent
        do {
            try FileManager.default.createDirectory(
                atPath: directory,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o755]
            )
        } catch {
            throw unusable(
                "cannot create \(directory) for the control socket: \(error.systemMessage);"
                    + " choose another path with --socket"
            )
        }
        if path.utf8.count > Self.longestPath {
            throw unusable(
                "the control socket's path \(path) has \(path.utf8.count) bytes; at most"
                    + " \(Self.longestPath) are allowed; choose a shorter path with --socket"
            )
        }
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFSOCK {
            throw unusable("\(path) exists and is not a socket; remove it, or choose another path with --socket")
        }
        let listener = SocketListener(at: path)
        if listener == .serviceManager {
            throw unusable(
                "the service manager keeps \(path) open; start the host with \"systemctl start bgtaskd\" (a user's host"
                    + " with --user), or stop bgtaskd.socket"
            )
        }
        if listener.hasListener {
            throw unusable("another process listens at \(path); stop it, or choose another path with --socket")
        }
    }

    /// Returns the descriptor of the socket, which listens. The caller owns it.
    func listen() throws(HostError) -> CInt {
        let descriptor: CInt
        if let activated { descriptor = activated.descriptor } else { descriptor = try bind() }
        try listen(on: descriptor)
        return descriptor
    }

    /// Makes a socket listen with the host's length of the queue of callers. An activated socket listens already: the
    /// call makes this process the one that the kernel reports as its server.
    func listen(on descriptor: CInt) throws(HostError) {
        if Glibc.listen(descriptor, Self.backlog) != 0 { throw failure() }
    }

    /// Lets the members of the socket groups connect. Without groups, only the host's user and root can. Before this
    /// call, only they can connect to a socket that the host has bound.
    ///
    /// The file has one group. With several groups, or with one that the host cannot set, every user can connect, and
    /// the host refuses those without a role.
    func open() {
        guard !groups.isEmpty else {
            chmod(path, 0o600)
            return
        }
        if let group = groups.only, hasGroup(group) || chown(path, uid_t.max, group.id) == 0 {
            chmod(path, 0o660)
            return
        }
        if chmod(path, 0o666) == 0 {
            guard let group = groups.only else { return }
            let way =
                activated == nil
                ? "add the host's user to the group, and restart the host, a user's host after a new login"
                : "write the group as SocketGroup= in bgtaskd.socket, and restart that unit together with bgtaskd"
            let message =
                "the host cannot give its socket to the socket group, so every user can connect, and the host refuses"
                + " users outside of the group; \(way)"
            log.notice("\(message)", metadata: ["group": "\(group.name)"])
            return
        }
        let cause = String(cString: strerror(errno))
        let way =
            activated == nil
            ? "restart the host"
            : "write the host's user as SocketUser= in bgtaskd.socket, and restart that unit together with bgtaskd"
        let message =
            "the mode of the socket cannot be set to 0666, so members of the socket groups may be unable to connect:"
            + " \(cause); \(way)"
        log.error("\(message)", metadata: ["socket": "\(path)"])
    }

    /// Removes the path of an own socket. That of the service manager stays for the next host.
    func remove() {
        if activated == nil { unlink(path) }
    }

    private func hasGroup(_ group: SocketGroup) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_gid == group.id
    }

    private func bind() throws(HostError) -> CInt {
        unlink(path)
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw failure() }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if status == 0 { return descriptor }
        let error = failure()
        close(descriptor)
        throw error
    }

    private func failure() -> HostError {
        let error = errno
        let remedy =
            error == EMFILE || error == ENFILE
            ? "raise the limit of open files of the host (RLIMIT_NOFILE) or of the machine (fs.file-max)"
            : "let the host's user write to the directory of the socket, or choose another path with --socket"
        return unusable("cannot listen at \(path): \(String(cString: strerror(error))); \(remedy)")
    }

    private func unusable(_ message: String) -> HostError { HostError(code: .socketUnusable, message: message) }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
package import TaskModel

/// Reads the values of secret settings from their sources. Values are in no message of this type.
package struct SecretReader: Sendable {
    /// Maximum length of a value, in bytes.
    package static let largest = 65_536

    private let sources: [PluginIdentifier: [String: SecretSource]]
    private let environment: [String: String]

    /// - Parameters:
    ///   - sources: the operator's sources, by plugin and setting.
    ///   - environment: the environment of the host.
    package init(_ sources: [PluginIdentifier: [String: SecretSource]], environment: [String: String]) {
        self.sources = sources
        self.environment = environment
    }

    /// A reader without sources.
    package static let none = SecretReader([:], environment: [:])

    /// The values of the secret settings of a plugin, as the sources have them now. Throws when one is missing or
    /// unusable. Blocks on the disk.
    ///
    /// - Parameter isNamed: whether messages name the plugin beside the setting.
    package func values(
        of keys: [String],
        in plugin: PluginIdentifier,
        isNamed: Bool = true
    ) throws(HostError) -> [String: String] {
        let owner = isNamed ? " of \(plugin)" : ""
        var values: [String: String] = [:]
        for key in keys {
            guard let source = sources[plugin]?[key] else {
                throw HostError(
                    code: .secretUnavailable,
                    message: "the secret setting \(key)\(owner) has no source; write plugins.\(plugin).secrets:"
                        + " { \(key): { file: PATH } } in the host's configuration, and start the host again"
                )
            }
            do throws(Flaw) {
                values[key] = try value(of: source)
            } catch {
                throw HostError(
                    code: .secretUnavailable,
                    message: "the secret setting \(key)\(owner) has no value: \(error.text)"
                )
            }
        }
        return values
    }

    private struct Flaw: Error {
        let text: String
    }

    private func value(of source: SecretSource) throws(Flaw) -> String {
        switch source {
        case .file(let path):
            // Checked before the file is opened: if the path has no weakness, only trusted users can exchange the file
            // in between.
            let weak = SystemDirectory.weakness(of: path, trust: .rootAnd(geteuid()))
            let text = try text(of: path)
            if let weak { throw Self.flaw(ofPlace: weak, on: path) }
            return text
        case .credential(let name):
            guard let directory = environment["CREDENTIALS_DIRECTORY"] else {
                throw Flaw(
                    text: "the host has no credential \(name), because CREDENTIALS_DIRECTORY is not set;"
                        + " \(Self.remedy(forCredential: name))"
                )
            }
            // The access list that systemd gives the host's user is shown as the rights of the group.
            return try text(of: "\(directory)/\(name)", credential: name)
        case .environment(let name):
            guard let value = environment[name] else {
                throw Flaw(
                    text: "the environment of the host has no variable \(name); set it in the unit of the host, and"
                        + " start the host again"
                )
            }
            return try checked(
                Array(value.utf8),
                of: "the variable \(name)",
                ifEmpty: "set it to the value in the unit of the host, and start the host again"
            )
        }
    }

    private static func remedy(forCredential name: String) -> String {
        "add LoadCredential=\(name):PATH to the unit of the host, and start the host again"
    }

    /// The value of a secret setting, read from a file. Throws when the file cannot be read, or other users can access
    /// it, or its value is invalid. The group may read a credential.
    ///
    /// - Parameter credential: name of the credential that the file contains; nil for a file that is no credential.
    private func text(of path: String, credential: String? = nil) throws(Flaw) -> String {
        // A FIFO without a writer must not block.
        let file = Descriptor(owning: open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY))
        var status = stat()
        guard file.number >= 0, fstat(file.number, &status) == 0 else {
            let code = errno
            let ownRemedy = code == ENOENT ? "create it with the value, readable" : "make it readable"
            let search = code == EACCES ? ", and let this user search the directories above it" : ""
            let remedy =
                credential.map(Self.remedy(forCredential:)) ?? "\(ownRemedy) for user \(geteuid()) only\(search)"
            throw Flaw(text: "the file \(path) cannot be opened: \(String(cString: strerror(code))); \(remedy)")
        }
        if let flaw = Self.flaw(of: status, at: path, permitsGroup: credential != nil) { throw flaw }
        var bytes = [UInt8](repeating: 0, count: Self.largest + 2)
        var count = 0
        while count < bytes.count {
            let part = bytes.withUnsafeMutableBytes { buffer in
                read(file.number, buffer.baseAddress.map { $0 + count }, buffer.count - count)
            }
            if part < 0, errno == EINTR { continue }
            if part < 0 {
                let cause = String(cString: strerror(errno))
                throw Flaw(text: "the file \(path) cannot be read: \(cause); write the file again")
            }
            if part == 0 { break }
            count += part
        }
        bytes.removeSubrange(count...)
        // Editors and `echo` end a file with a line feed, which is no part of the value.
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        return try checked(bytes, of: "the file \(path)", ifEmpty: "write the value into it")
    }

    private static func flaw(of status: stat, at path: String, permitsGroup: Bool) -> Flaw? {
        guard status.st_mode & S_IFMT == S_IFREG else {
            return Flaw(text: "\(path) is not a regular file; write the path of a file with the value")
        }
        let mode = status.st_mode & 0o7777
        if mode & (permitsGroup ? 0o027 : 0o077) != 0 {
            let others = mode & 0o007 != 0 ? "other users can use it" : "its group can use it"
            // A file of another owner, such as root, may be readable for the host only by its group: with the mode 600
            // the host has to own it.
            let owner = status.st_uid == geteuid() ? "" : "chown \(geteuid()) \(path) && "
            return Flaw(
                text: "the file \(path) has the mode 0\(String(mode, radix: 8)), so that \(others); permit it to the"
                    + " host's user only: \(owner)chmod 600 \(path)"
            )
        }
        if status.st_uid != 0, status.st_uid != geteuid() {
            return Flaw(
                text: "the file \(path) belongs to user \(status.st_uid), who can change it; give it to user"
                    + " \(geteuid()), who reads it, or to root: chown \(geteuid()) \(path)"
            )
        }
        return nil
    }

    /// The flaw of a file that lies in or behind a directory or link which other users can change.
    private static func flaw(ofPlace weak: String, on path: String) -> Flaw {
        var status = stat()
        let isForeign = lstat(weak, &status) == 0 && status.st_uid != 0 && status.st_uid != geteuid()
        return Flaw(
            text: "\(weak), on the way to the file \(path), can be changed by "
                + (isForeign ? "user \(status.st_uid), to whom it belongs" : "its group or by other users")
                + ", who can exchange the file; let only root and the host's user change it: "
                + (isForeign ? "chown -h \(geteuid()) \(weak)" : "chmod go-w \(weak)")
        )
    }

    private func checked(_ bytes: [UInt8], of subject: String, ifEmpty remedy: String) throws(Flaw) -> String {
        if bytes.isEmpty { throw Flaw(text: "\(subject) is empty; \(remedy)") }
        if bytes.count > Self.largest {
            throw Flaw(text: "\(subject) has more than \(Self.largest) bytes; write a shorter value")
        }
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
            let problem = bytes.contains(0) ? "contains NUL" : "is not UTF-8"
            throw Flaw(text: "\(subject) \(problem); write a text, such as the output of base64")
        }
        return text
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Glibc
package import TaskModel

/// A shared library that this host may load, examined as plain bytes. Never loads it, and proves nothing about its
/// code.
package struct PluginBinary: Hashable, Sendable {
    /// The one symbol that is ever looked up (BGT-ABI-01).
    package static let entryName = "bgtask_plugin_entry"

    package let path: String
    package let note: BinaryNote
    /// The state of the file that was examined.
    package let identity: FileIdentity

    package static func examine(path: String) throws(PluginBinaryProblem) -> PluginBinary {
        // Without O_NONBLOCK a named pipe would be waited for.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw PluginBinaryProblem(path: path, kind: .unreadable(errno: errno)) }
        defer { close(descriptor) }
        return try examine(descriptor: descriptor, path: path)
    }

    /// - Parameters:
    ///   - descriptor: open for reading; its position is neither used nor moved.
    ///   - path: names the library in messages.
    package static func examine(
        descriptor: CInt,
        path: String
    ) throws(PluginBinaryProblem) -> PluginBinary {
        do {
            return try examined(descriptor: descriptor, path: path)
        } catch {
            throw PluginBinaryProblem(path: path, kind: error)
        }
    }

    private static func examined(descriptor: CInt, path: String) throws(PluginBinaryProblem.Kind) -> PluginBinary {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .unreadable(errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(kindName(status.st_mode)) }

        let identity = FileIdentity(status)
        let image = try ElfImage(LibraryBytes(descriptor: descriptor, size: UInt64(clamping: identity.size)))
        // Symbols first: what is no library at all is not blamed for its missing note.
        let symbols = try image.exportedSymbols()
        let note = try supportedNote(of: image)
        try checkExports(symbols, of: image)
        return PluginBinary(path: path, note: note, identity: identity)
    }

    private static func supportedNote(of image: ElfImage) throws(PluginBinaryProblem.Kind) -> BinaryNote {
        guard let note = try image.note() else { throw .noNote }
        if note.major > HostABI.major { throw .newerMajor(note.major) }
        if note.major < HostABI.major { throw .olderMajor(note.major) }
        if note.requiredMinor > HostABI.minor {
            throw .newerMinor(required: note.requiredMinor, offered: HostABI.minor)
        }
        return note
    }

    private static func checkExports(_ symbols: ElfSymbols, of image: ElfImage) throws(PluginBinaryProblem.Kind) {
        let exports = try symbols.ours().filter { $0.isDefined && $0.isGlobal && !$0.isHidden }
        guard let entry = exports.first(where: { $0.name == entryName }) else {
            let inside = try image.privateSymbols()?.ours() ?? []
            throw inside.contains { $0.name == entryName && $0.isDefined } ? .entryHidden : .entryMissing
        }
        guard entry.isFunction else { throw .entryNotAFunction }
        if let other = exports.first(where: { $0.name != entryName }) { throw .foreignExport(other.name) }
    }

    private static func kindName(_ mode: mode_t) -> String {
        switch mode & S_IFMT {
        case S_IFDIR: "a folder"
        case S_IFIFO: "a named pipe"
        case S_IFSOCK: "a socket"
        default: "a device"
        }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Glibc
package import TaskModel

/// A shared library that this host can load, as examined from its bytes. The examination does not load the library and
/// does not check its code.
package struct PluginBinary: Hashable, Sendable {
    /// Name of the entry function, the only symbol that a host looks up in a plugin without bound functions
    /// (BGT-ABI-01).
    package static let entryName = "bgtask_plugin_entry"

    package let path: String
    package let note: BinaryNote
    /// Identity of the examined file.
    package let identity: FileIdentity

    package static func examine(path: String) throws(PluginBinaryProblem) -> PluginBinary {
        // Without O_NONBLOCK, opening a named pipe would block.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw PluginBinaryProblem(path: path, kind: .unreadable(errno: errno)) }
        defer { close(descriptor) }
        return try examine(descriptor: descriptor, path: path)
    }

    /// Examines an open file. Throws its first problem.
    ///
    /// - Parameters:
    ///   - descriptor: a descriptor that is open for reading; its position is neither used nor moved.
    ///   - path: name of the library in messages.
    package static func examine(
        descriptor: CInt,
        path: String
    ) throws(PluginBinaryProblem) -> PluginBinary {
        let problem: PluginBinaryProblem.Kind
        let language: LibraryLanguage
        do throws(PluginBinaryProblem.Kind) {
            let file = try OpenLibrary(descriptor: descriptor)
            let image = try file.image()
            let judgement = try BinaryJudgement(of: image)
            if let note = judgement.notes.ours, judgement.problems.isEmpty {
                return PluginBinary(path: path, note: note, identity: file.identity)
            }
            problem = judgement.problems.first ?? .noNote
            language = (try? image.traits())?.language ?? .c
        } catch {
            throw PluginBinaryProblem(path: path, kind: error)
        }
        throw PluginBinaryProblem(path: path, kind: problem, language: language)
    }
}

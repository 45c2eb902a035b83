// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Glibc
package import TaskModel

/// Everything that the bytes of one file tell about it as a plugin's library, also when a host would refuse it.
///
/// A host goes by `PluginBinary.examine`, which is the first problem of this.
package struct BinarySurvey: Hashable, Sendable {
    package let path: String
    /// Why a host does not load it, in the order in which a host looks; empty when it does.
    package let problems: [PluginBinaryProblem]
    /// Nil when there is none that can be read.
    package let note: BinaryNote?
    /// Nil when the file is no library for this machine.
    package let traits: LibraryTraits?
    /// Names of the ABI that it uses but leaves to others to define; a host defines none of them.
    package let expected: [String]
    /// The state of the file that was read; nil when it is no file.
    package let identity: FileIdentity?

    package static var machine: String { ElfHeader.hostMachineName }

    package init(path: String, for use: LibraryUse = .entry) {
        // Without O_NONBLOCK a named pipe would be waited for.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        let failure = errno
        defer { if descriptor >= 0 { close(descriptor) } }
        self.init(descriptor: descriptor, failure: failure, path: path, for: use)
    }

    /// - Parameter descriptor: open for reading; its position is neither used nor moved.
    package init(descriptor: CInt, path: String, for use: LibraryUse) {
        self.init(descriptor: descriptor, failure: EBADF, path: path, for: use)
    }

    /// - Parameter failure: why there is no descriptor, where it is negative.
    private init(descriptor: CInt, failure: CInt, path: String, for use: LibraryUse) {
        self.path = path
        var kinds: [PluginBinaryProblem.Kind] = []
        var judgement: BinaryJudgement?
        var traits: LibraryTraits?
        var identity: FileIdentity?
        do throws(PluginBinaryProblem.Kind) {
            guard descriptor >= 0 else { throw .unreadable(errno: failure) }
            let file = try OpenLibrary(descriptor: descriptor)
            identity = file.identity
            let image = try file.image()
            let judged = try BinaryJudgement(of: image, for: use)
            judgement = judged
            kinds = judged.problems
            // What was judged is no worse for traits that cannot be read.
            traits = try? image.traits()
        } catch {
            kinds.append(error)
        }
        problems = kinds.map { PluginBinaryProblem(path: path, kind: $0) }
        note = judgement?.note
        expected = judgement?.expected ?? []
        self.traits = traits
        self.identity = identity
    }
}

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

    package init(path: String) {
        self.path = path
        var kinds: [PluginBinaryProblem.Kind] = []
        var judgement: BinaryJudgement?
        var traits: LibraryTraits?
        var identity: FileIdentity?
        // Without O_NONBLOCK a named pipe would be waited for.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        do throws(PluginBinaryProblem.Kind) {
            guard descriptor >= 0 else { throw .unreadable(errno: errno) }
            defer { close(descriptor) }
            let file = try OpenLibrary(descriptor: descriptor)
            identity = file.identity
            let image = try file.image()
            let judged = try BinaryJudgement(of: image)
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

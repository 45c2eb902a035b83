// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Glibc
package import TaskModel

/// Facts about one file as a plugin's library, read from its bytes, even when a host would refuse the file.
///
/// When only the first problem matters, `PluginBinary.examine` throws it, for a library with an entry function.
package struct BinarySurvey: Hashable, Sendable {
    package let path: String
    /// Reasons in the file itself for which a host refuses the library, in the order of the host's checks; empty
    /// without any. Needed libraries are not examined.
    package let problems: [PluginBinaryProblem]
    /// The ELF note of the library for this host's major version of the ABI; nil when no valid one was read.
    package let note: BinaryNote?
    /// The other major versions of the ABI for which the library has notes, sorted.
    package let otherMajors: [Int]
    /// Properties of the library that affect loading; nil when the file is not a library for this machine, or they
    /// cannot be read.
    package let traits: LibraryTraits?
    /// Identity of the file that was read; nil when it is missing, cannot be opened, or is not a regular file.
    package let identity: FileIdentity?

    /// The architecture of this machine, as manifests name it.
    package static var machine: String { ElfHeader.hostMachineName }

    /// The architecture of the library, as manifests name it; nil when it is unknown, as for a file that is not a
    /// library.
    package var architecture: String? {
        if traits != nil { return Self.machine }
        return problems.lazy.compactMap { if case .foreignArchitecture(let name) = $0.kind { name } else { nil } }.first
    }

    package init(path: String, for use: LibraryUse = .entry) {
        // Without O_NONBLOCK, opening a named pipe would block.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        let failure = errno
        defer { if descriptor >= 0 { close(descriptor) } }
        self.init(descriptor: descriptor, failure: failure, path: path, for: use)
    }

    /// Examines an open file.
    ///
    /// - Parameter descriptor: a descriptor that is open for reading; its position is neither used nor moved.
    package init(descriptor: CInt, path: String, for use: LibraryUse) {
        self.init(descriptor: descriptor, failure: EBADF, path: path, for: use)
    }

    /// Examines an open file, or reports why it could not be opened.
    ///
    /// - Parameter failure: value of errno when `descriptor` is negative.
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
            // Unreadable traits do not invalidate the other results.
            traits = try? image.traits()
        } catch {
            kinds.append(error)
        }
        let language = traits?.language ?? .c
        problems = kinds.map { PluginBinaryProblem(path: path, kind: $0, language: language) }
        note = judgement?.notes.ours
        otherMajors = judgement?.notes.otherMajors ?? []
        self.traits = traits
        self.identity = identity
    }
}

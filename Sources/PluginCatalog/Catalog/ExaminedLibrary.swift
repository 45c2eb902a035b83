// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Glibc
internal import LinuxSystem
internal import PluginBinary
internal import TaskModel

/// The digest of one library file, or why it is none that could be loaded.
enum ExaminedLibrary: Sendable {
    case accepted(LibraryFile)
    /// - Parameter 0: the first problem; of functions that it lacks all.
    case refused([PluginBinaryProblem], FileIdentity?)
    /// Somebody was writing it meanwhile; what was read belongs to no state of it.
    case changing

    /// The state of the file that this is true for; nil when it may be otherwise the next time.
    var identity: FileIdentity? {
        switch self {
        case .accepted(let file): file.identity
        case .refused(_, let identity): identity
        case .changing: nil
        }
    }

    /// - Parameter digest: of the open file in the given state.
    static func examine(
        path: String,
        for use: LibraryUse,
        digest: (CInt, FileIdentity) throws(PluginBinaryProblem) -> String
    ) -> ExaminedLibrary {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            return .refused([PluginBinaryProblem(path: path, kind: .unreadable(errno: errno))], nil)
        }
        defer { close(descriptor) }
        let before = FileIdentity(ofDescriptor: descriptor)
        do throws(PluginBinaryProblem) {
            // First, because it is quick: what is no library is not hashed.
            let survey = BinarySurvey(descriptor: descriptor, path: path, for: use)
            if let first = survey.problems.first {
                let problems = first.symbol == nil ? [first] : survey.problems
                return FileIdentity(ofDescriptor: descriptor) == before ? .refused(problems, before) : .changing
            }
            guard let identity = survey.identity else { return .changing }
            let digest = try digest(descriptor, identity)
            guard FileIdentity(ofDescriptor: descriptor) == identity else { return .changing }
            return .accepted(LibraryFile(path: path, digest: digest, identity: identity))
        } catch {
            return FileIdentity(ofDescriptor: descriptor) == before ? .refused([error], before) : .changing
        }
    }
}

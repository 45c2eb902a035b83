// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Glibc
internal import LinuxSystem
internal import PluginBinary
internal import TaskModel

/// Result of examining one library file: its digest, or the reasons for its refusal.
enum ExaminedLibrary: Sendable {
    case accepted(LibraryFile)
    /// The library is refused. The identity is that of the file; nil when it could not be read.
    ///
    /// - Parameter 0: the first problem, or all problems of bound functions.
    case refused([PluginBinaryProblem], FileIdentity?)
    /// The file was written during the examination, so the bytes that were read are not consistent.
    case changing

    /// Identity of the examined file; nil when another examination may give a different result.
    var identity: FileIdentity? {
        switch self {
        case .accepted(let file): file.identity
        case .refused(_, let identity): identity
        case .changing: nil
        }
    }

    /// Examines the library at a path.
    ///
    /// - Parameter digest: computes the digest of the open file with that identity.
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
            // Checked first, because it is fast: other files are not hashed.
            let survey = BinarySurvey(descriptor: descriptor, path: path, for: use)
            if let first = survey.problems.first {
                let problems = first.symbol == nil ? [first] : survey.problems
                return FileIdentity(ofDescriptor: descriptor) == before ? .refused(problems, before) : .changing
            }
            guard let identity = survey.identity else { return .changing }
            let digest = try digest(descriptor, identity)
            guard FileIdentity(ofDescriptor: descriptor) == identity else { return .changing }
            let header = survey.note?.headerMinor
            return .accepted(LibraryFile(path: path, digest: digest, identity: identity, headerMinor: header))
        } catch {
            return FileIdentity(ofDescriptor: descriptor) == before ? .refused([error], before) : .changing
        }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem

/// The container of a called function: the directory that an option names, otherwise a temporary one.
struct TrialContainer {
    let path: String
    private let isTemporary: Bool

    init(at path: String?, environment: [String: String]) throws {
        if let path {
            (self.path, isTemporary) = (FilePlace.absolute(path), false)
            return
        }
        let parent = environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        var template = Array("\(parent)/bgtask-call-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CommandFailure(
                .refused,
                "no temporary directory can be created in \(parent): \(String(cString: strerror(errno)))",
                remedy: "set TMPDIR to a writable directory, or name a container with --container"
            )
        }
        let made = template.dropLast().map { UInt8(bitPattern: $0) }
        self.path = FilePlace.absolute(String(decoding: made, as: UTF8.self))
        isTemporary = true
    }

    /// Deletes a temporary container with everything that the function put into it; symbolic links are deleted, not
    /// followed. Keeps a directory that the option names. Returns nil, or the problem with its remedy when a part is
    /// left.
    func delete() -> String? {
        if !isTemporary { return nil }
        let (name, directory) = (FilePlace.name(of: path), FilePlace.directory(of: path))
        do throws(SystemError) {
            while try TreeRemoval.removePart(of: name, in: directory, atMost: 1_000) {}
            return nil
        } catch {
            return "the temporary container \(path) is not deleted: \(error); delete the directory yourself"
        }
    }
}

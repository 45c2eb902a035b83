// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
package import LinuxSystem
internal import PluginBinary

/// The readers of an untrusted library: everything that `plugin check`, `plugin inspect` and `plugin install` read from
/// its bytes.
package struct LibraryEntry: FuzzEntry {
    // Libraries are read from descriptors. A file without a name needs no removal.
    private let file: Descriptor

    package init() throws(SystemError) {
        let flags = O_RDWR | O_CLOEXEC | Self.temporary
        let number = open("/tmp", flags, 0o600)
        guard number >= 0 else { throw SystemError(number: errno, attempt: "open a temporary file") }
        file = Descriptor(owning: number)
    }

    /// `O_TMPFILE`, which Swift does not import.
    private static let temporary: Int32 = 0o20_000_000 | O_DIRECTORY

    package func problem(with bytes: [UInt8]) -> String? {
        let written = ftruncate(file.number, 0) == 0 ? pwrite(file.number, bytes, bytes.count, 0) : -1
        guard written == bytes.count else { return "the library cannot be written: errno \(errno)" }
        let path = "/proc/self/fd/\(file.number)"

        let survey = BinarySurvey(descriptor: file.number, path: path, for: .entry)
        let names = ["run", "bgtask_plugin_entry", "process_file"]
        let asFunctions = BinarySurvey(descriptor: file.number, path: path, for: .functions(names))
        // As the commands do, which report other files before they resolve symbols.
        if survey.traits != nil {
            _ = LibraryLinkage(path: path)
            _ = PrivateLibraries(of: path)
        }
        return disagreement(survey, at: path) ?? flaw(of: survey) ?? flaw(of: asFunctions)
    }

    /// The disagreement between the catalogue, which refuses a library by its first problem, and `plugin check`, which
    /// shows all problems; nil without one.
    private func disagreement(_ survey: BinarySurvey, at path: String) -> String? {
        do throws(PluginBinaryProblem) {
            let binary = try PluginBinary.examine(descriptor: file.number, path: path)
            return survey.problems.isEmpty && survey.note == binary.note
                ? nil : "the survey refuses an accepted library"
        } catch {
            return survey.note != nil && survey.problems.isEmpty ? "the survey accepts a refused library" : nil
        }
    }

    private func flaw(of survey: BinarySurvey) -> String? {
        for problem in survey.problems where problem.description.isEmpty || problem.code.isEmpty {
            return "a problem has no text"
        }
        return nil
    }
}

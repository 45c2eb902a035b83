// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginBinary
import PluginCatalogue
import TaskModel

/// The report of `plugin inspect` on one library. `format` is the version of the structure of its JSON.
struct LibraryInspection: Hashable, Encodable {
    struct Note: Hashable, Encodable {
        let major: Int
        let requiredMinor: Int
        let headerMinor: Int

        private enum CodingKeys: String, CodingKey {
            case major
            case requiredMinor = "required_minor"
            case headerMinor = "header_minor"
        }
    }

    struct Problem: Hashable, Encodable {
        /// A stable code of the problem, for programs.
        let code: String
        /// The violated rule of the ABI; nil when the problem violates none, as for an unreadable file.
        let rule: String?
        let message: String
        let remedy: String

        init(code: String, message: String, remedy: String) {
            (self.code, rule, self.message, self.remedy) = (code, nil, message, remedy)
        }

        init(_ problem: PluginBinaryProblem) {
            (code, rule, message, remedy) = (
                problem.code, problem.rule?.rawValue, problem.message, problem.remedy
            )
        }
    }

    struct Hardening: Hashable, Encodable {
        let executableStack: Bool
        let textRelocations: Bool
        let relocationProtection: String

        private enum CodingKeys: String, CodingKey {
            case executableStack = "executable_stack"
            case textRelocations = "text_relocations"
            case relocationProtection = "relro"
        }
    }

    /// A file that the loader takes from the library's directory.
    struct PrivateFile: Hashable, Encodable {
        let path: String
        /// SHA-256 digest in lower-case hexadecimal, as the manifest pins it; nil when the file cannot be read.
        let digest: String?

        private enum CodingKeys: String, CodingKey {
            case path
            case digest = "sha256"
        }
    }

    let format = 1
    let file: String
    let isLoadable: Bool
    /// Whether the handlers of a manifest may bind functions of the library; false for a plugin with its own entry
    /// function.
    let isBindable: Bool
    let problems: [Problem]
    /// The first reason why a host loads the library neither as a plugin nor for handlers; nil when it loads the
    /// library. It is not part of the JSON.
    let obstacle: Problem?
    /// Problems that may not exist, because not every needed library could be examined.
    let doubts: [Problem]
    /// The ABI version of this program, as MAJOR.MINOR.
    let abi = "\(HostABI.major).\(HostABI.minor)"
    let note: Note?
    /// The other major versions of the ABI that the library is built for.
    let otherMajors: [Int]
    /// The architecture of the library, as a manifest names it; nil when it cannot be read.
    let architecture: String?
    let name: String?
    let needs: [String]
    let searchPaths: [String]
    /// The files that the loader takes from the library's directory; a manifest pins them under `files`.
    let privateFiles: [PrivateFile]
    let hardening: Hardening?
    /// Size of the file in bytes; nil when it is missing, cannot be opened, or is not a regular file.
    let size: Int64?
    let digest: String?

    init(_ survey: BinarySurvey) {
        file = survey.path
        let linkage = survey.traits == nil ? nil : LibraryLinkage(path: survey.path)
        let unlinked = linkage?.problems ?? []
        let privates = survey.traits == nil ? nil : PrivateLibraries(of: survey.path)
        let refused = privates?.problems ?? []
        isLoadable = survey.problems.isEmpty && unlinked.isEmpty && refused.isEmpty
        let unbindable = BinarySurvey(path: survey.path, for: .functions([])).problems
        isBindable = unbindable.isEmpty && unlinked.isEmpty && refused.isEmpty
        problems = (unlinked + survey.problems + refused).map(Problem.init)
        // A missing note or entry does not prevent the binding of functions, so it is no obstacle for a library without
        // both. A plugin's own problems come first: handlers cannot bind its functions in any case.
        let isPlugin = unbindable.contains { $0.code.hasSuffix("-beside-handlers") }
        obstacle =
            isLoadable || isBindable
            ? nil : (unlinked + (isPlugin ? survey.problems : unbindable) + refused).first.map(Problem.init)
        doubts = (linkage?.doubts ?? []).map(Problem.init)
        note = survey.note.map {
            Note(major: $0.major, requiredMinor: $0.requiredMinor, headerMinor: $0.headerMinor)
        }
        otherMajors = survey.otherMajors
        architecture = survey.architecture
        name = survey.traits?.name
        needs = survey.traits?.needs ?? []
        searchPaths = survey.traits?.searchPaths ?? []
        privateFiles = (privates?.files ?? []).map { file in
            PrivateFile(path: file.path, digest: try? LibraryDigest.of(path: file.path))
        }
        hardening = survey.traits.map {
            Hardening(
                executableStack: $0.wantsExecutableStack,
                textRelocations: $0.hasTextRelocations,
                relocationProtection: $0.relocationProtection.rawValue
            )
        }
        size = survey.identity?.size
        digest = survey.identity == nil ? nil : try? LibraryDigest.of(path: survey.path)
    }

    private enum CodingKeys: String, CodingKey {
        case format, file, problems, doubts, abi, note, architecture, name, needs, hardening, size
        case isLoadable = "loadable"
        case isBindable = "bindable"
        case searchPaths = "search_paths"
        case privateFiles = "private_files"
        case otherMajors = "other_majors"
        case digest = "sha256"
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginBinary
import PluginCatalogue
import TaskModel

/// The report of `plugin inspect` on one file. `format` is the version of the structure of its JSON.
struct LibraryInspection: Hashable, Encodable {
    struct Note: Hashable, Encodable {
        let major: Int
        let requiredMinor: Int

        private enum CodingKeys: String, CodingKey {
            case major
            case requiredMinor = "required_minor"
        }
    }

    struct Problem: Hashable, Encodable {
        /// A stable code of the problem, for programs.
        let code: String
        /// The violated rule of the ABI; nil when the problem violates none, as for an unreadable file.
        let rule: String?
        let message: String
        let remedy: String

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

    let format = 1
    let file: String
    let isLoadable: Bool
    /// Whether the handlers of a manifest may bind functions of the library; false for a plugin with its own entry
    /// function.
    let isBindable: Bool
    let problems: [Problem]
    /// Problems that may not exist, because not every needed library could be examined.
    let doubts: [Problem]
    /// The ABI version of this program, as MAJOR.MINOR.
    let abi = "\(HostABI.major).\(HostABI.minor)"
    let note: Note?
    /// This machine's architecture; nil when the library was built for another architecture, or its properties cannot
    /// be read.
    let architecture: String?
    let name: String?
    let needs: [String]
    let searchPaths: [String]
    let hardening: Hardening?
    /// Size of the file in bytes; nil when the file does not exist.
    let size: Int64?
    let digest: String?

    init(_ survey: BinarySurvey) {
        file = survey.path
        let linkage = survey.traits == nil ? nil : LibraryLinkage(path: survey.path)
        let unlinked = linkage?.problems ?? []
        isLoadable = survey.problems.isEmpty && unlinked.isEmpty
        isBindable = BinarySurvey(path: survey.path, for: .functions([])).problems.isEmpty && unlinked.isEmpty
        problems = (unlinked + survey.problems).map(Problem.init)
        doubts = (linkage?.doubts ?? []).map(Problem.init)
        note = survey.note.map { Note(major: $0.major, requiredMinor: $0.requiredMinor) }
        architecture = survey.traits == nil ? nil : BinarySurvey.machine
        name = survey.traits?.name
        needs = survey.traits?.needs ?? []
        searchPaths = survey.traits?.searchPaths ?? []
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
        case digest = "sha256"
    }
}

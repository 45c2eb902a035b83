// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostConfiguration

/// The candidate paths of `bgtask-feeder`: beside the running command, as in a build directory and in an installation,
/// then in `libexec/bgtask`. PATH is not searched, so that both programs are of one installation.
struct FeederProgram: Hashable {
    static let name = "bgtask-feeder"

    let candidates: [String]

    init(executable: String? = ProgramFile.running) {
        guard let executable, let slash = executable.lastIndex(of: "/") else {
            candidates = []
            return
        }
        let directory = executable[..<slash]
        let parent = directory.lastIndex(of: "/").map { directory[..<$0] } ?? ""
        candidates = ["\(directory)/\(Self.name)", "\(parent)/libexec/bgtask/\(Self.name)"]
    }

    /// The path of the program. Throws a refusal when no candidate can be executed.
    func path(isExecutable: (String) -> Bool = ProgramFile.isExecutable) throws(CommandFailure) -> String {
        if let path = candidates.first(where: isExecutable) { return path }
        let places = candidates.isEmpty ? "beside this command" : candidates.joined(separator: " or ")
        throw CommandFailure(
            .refused,
            "\(Self.name), which has the access to the fleet's database, is not installed as \(places)",
            remedy: "install the package \(Self.name), or run \(Self.name) by its path"
        )
    }
}

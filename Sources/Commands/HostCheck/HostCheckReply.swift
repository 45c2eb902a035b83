// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// What a check found, in the order in which a host meets it at its start.
struct HostCheckReply: Encodable, Hashable {
    let stateFolder: String
    /// Whether a host works on that folder now.
    let isRunning: Bool
    let findings: [HostFinding]

    var problems: Int { findings.count { $0.verdict == .problem } }

    enum CodingKeys: String, CodingKey {
        case stateFolder = "state-folder"
        case isRunning = "is-running"
        case findings
        case problems
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(stateFolder, forKey: .stateFolder)
        try container.encode(isRunning, forKey: .isRunning)
        try container.encode(findings, forKey: .findings)
        try container.encode(problems, forKey: .problems)
    }
}

/// One thing that was looked at.
struct HostFinding: Encodable, Hashable {
    enum Verdict: String, Encodable {
        case fine
        /// A host starts all the same; somebody may be surprised.
        case note
        /// A host does not start, or does not do what it was told.
        case problem
    }

    enum Subject: String, Encodable {
        case configuration
        case host
        case stateFolder = "state-folder"
        case ledger
        case container
        case manifest
        case pluginFolder = "plugin-folder"
        case runner
        case socket
        case cgroup
    }

    let verdict: Verdict
    let subject: Subject
    /// Names the thing and, unless all is well, the rule and the remedy.
    let message: String
}

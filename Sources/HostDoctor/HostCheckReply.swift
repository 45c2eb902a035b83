// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// What a check found, in the order in which a host meets it at its start.
package struct HostCheckReply: Encodable, Hashable {
    package let stateFolder: String
    /// Whether a host works on that folder now.
    package let isRunning: Bool
    package let findings: [HostFinding]

    package var problems: Int { findings.count { $0.verdict == .problem } }

    enum CodingKeys: String, CodingKey {
        case stateFolder = "state_directory"
        case isRunning = "is_running"
        case findings
        case problems
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(stateFolder, forKey: .stateFolder)
        try container.encode(isRunning, forKey: .isRunning)
        try container.encode(findings, forKey: .findings)
        try container.encode(problems, forKey: .problems)
    }
}

/// One thing that was looked at.
package struct HostFinding: Encodable, Hashable {
    package enum Verdict: String, Encodable {
        case fine
        /// A host starts all the same; somebody may be surprised.
        case note
        /// A host does not start, or does not do what it was told.
        case problem
    }

    package enum Subject: String, Encodable {
        case configuration
        case host
        case stateFolder = "state-directory"
        case ledger
        case container
        case manifest
        case pluginFolder = "plugin-directory"
        case runner
        case socket
        case cgroup
    }

    package let verdict: Verdict
    package let subject: Subject
    /// Names the thing and, unless all is well, the rule and the remedy.
    package let message: String
}

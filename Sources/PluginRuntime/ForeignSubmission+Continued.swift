// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import TaskModel

// Fields that only continued or health research requests have.
extension ForeignSubmission {
    /// The terms of a continued request; nil for every other kind. Throws when a title, the strategy or a resource is
    /// invalid.
    static func continued(_ fields: bgt_request, _ kind: TaskKind) throws(CallProblem) -> ContinuedTerms? {
        guard kind == .continued else { return nil }
        return ContinuedTerms(
            title: try title(fields.title),
            subtitle: try fields.subtitle.map { address throws(CallProblem) in try text(address, "subtitle") },
            strategy: try strategy(fields.strategy),
            resources: try resources(fields.resources)
        )
    }

    static func protection(_ fields: bgt_request) -> ProtectionType {
        // Two bits have four values, and each is a defined type.
        ProtectionType(rawValue: (fields.flags & BGTASK_PROTECTION_MASK) >> ProtectionType.flagShift) ?? .default
    }

    private static func title(_ address: UnsafePointer<CChar>?) throws(CallProblem) -> String {
        guard let address else {
            throw CallProblem(status: BGT_INVALID, message: "title: NULL; give the title that users see")
        }
        let title = try text(address, "title")
        guard !title.isEmpty else {
            throw CallProblem(status: BGT_INVALID, message: "title: empty; give the title that users see")
        }
        return title
    }

    private static func text(_ address: UnsafePointer<CChar>, _ field: String) throws(CallProblem) -> String {
        guard let text = ForeignTitles.text(address) else {
            throw CallProblem(
                status: BGT_INVALID,
                message: "\(field): longer than \(ContinuedTerms.maximumTitle) bytes or not UTF-8;"
                    + " write UTF-8 text of at most \(ContinuedTerms.maximumTitle) bytes"
            )
        }
        return text
    }

    static func strategy(_ number: UInt32) throws(CallProblem) -> SubmissionStrategy {
        if number == 0 { return .queue }
        guard let strategy = SubmissionStrategy(rawValue: number) else {
            throw tooNew("strategy \(number) is not a BGT_STRATEGY_...")
        }
        return strategy
    }

    static func resources(_ bits: UInt64) throws(CallProblem) -> TaskResources {
        let resources = TaskResources(rawValue: bits)
        guard resources.isSubset(of: TaskResources.known) else {
            let unknown = bits & ~TaskResources.known.rawValue
            throw tooNew("resources 0x\(String(unknown, radix: 16)) are no BGT_RESOURCE_...")
        }
        return resources
    }
}

extension TaskResources {
    fileprivate static let known: TaskResources = [.gpu]
}

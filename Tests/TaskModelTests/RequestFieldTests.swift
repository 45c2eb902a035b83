// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@Suite("Each field of a request belongs to fixed kinds of requests")
struct RequestFieldTests {
    private static let expected: [RequestField: Set<TaskKind>] = [
        .requiresNetwork: [.processing, .healthResearch, .transfer],
        .requiresExternalPower: [.processing, .healthResearch, .push, .transfer],
        .protection: [.healthResearch], .title: [.continued], .subtitle: [.continued], .strategy: [.continued],
        .resources: [.continued],
    ]

    private func request(
        _ kind: TaskKind,
        network: Bool = false,
        power: Bool = false,
        protection: ProtectionType = .untilFirstAuthentication,
        terms: ContinuedTerms? = nil
    ) throws -> TaskRequest {
        TaskRequest(
            identifier: try #require(TaskIdentifier("com.example.feed.refresh")),
            kind: kind,
            requiresNetwork: network,
            requiresExternalPower: power,
            protection: protection,
            continued: terms
        )
    }

    @Test(arguments: RequestField.allCases)
    func
        `the fields for network and power belong to processing, health research and transfers, power also to pushes, others to one kind`(
            _ field: RequestField
        )
    {
        #expect(Set(TaskKind.allCases.filter(field.belongs)) == Self.expected[field])
    }

    @Test(arguments: TaskKind.allCases)
    func `a request with a field that its kind does not have has a flaw that names the field`(_ kind: TaskKind) throws {
        let terms = kind == .continued ? ContinuedTerms(title: "Export") : nil
        let plain = try request(kind, terms: terms)
        // A push and a transfer are no requests that anyone submits.
        let isSubmittable = TaskKind.submittable.contains(kind)
        #expect((plain.flaw(with: []) == nil) == isSubmittable)
        let carriers: [(RequestField, TaskRequest)] = [
            (.requiresNetwork, try request(kind, network: true, terms: terms)),
            (.requiresExternalPower, try request(kind, power: true, terms: terms)),
            (.protection, try request(kind, protection: .complete, terms: terms)),
            (.title, try request(kind, terms: ContinuedTerms(title: "Export"))),
        ]
        for (field, carrier) in carriers where isSubmittable {
            #expect(carrier.has(field))
            #expect((carrier.flaw(with: []) == nil) == field.belongs(to: kind), "\(field)")
            if !field.belongs(to: kind) { #expect(carrier.flaw(with: [])?.contains(field.key) == true) }
        }
    }

    @Test func `a continued request requires a title of 1 to 255 bytes, and a payload has at most 64 KiB`() throws {
        #expect(try request(.continued).flaw(with: []) != nil)
        for (length, isAllowed) in [(0, false), (1, true), (255, true), (256, false)] {
            let text = String(repeating: "x", count: length)
            #expect((try request(.continued, terms: ContinuedTerms(title: text)).flaw(with: []) == nil) == isAllowed)
            let both = ContinuedTerms(title: "x", subtitle: text)
            #expect((try request(.continued, terms: both).flaw(with: []) == nil) == (length < 256))
        }
        let most = [UInt8](repeating: 0, count: TaskRequest.maximumPayload)
        #expect(try request(.refresh).flaw(with: most) == nil)
        #expect(try request(.refresh).flaw(with: most + [0]) != nil)
    }
}

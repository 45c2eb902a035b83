// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import Scheduling

@Suite("The terms of retries follow from manifest and operator, and the delays from the terms")
struct RetryRuleTests {
    private let proposal = FailureRetry(attempts: 4, delay: .seconds(30), backoff: 3, jitter: 0)

    // MARK: Terms

    @Test func `without a decision of the operator, the manifest's proposal has no effect`() {
        #expect(RetryChoices().terms(for: .clean, proposed: [.exact(.clean): proposal]) == nil)
    }

    @Test func `an accepted proposal is in force, and acceptance without a proposal is not`() {
        let choices = RetryChoices(.accept)
        #expect(choices.terms(for: .clean, proposed: [.exact(.clean): proposal]) == proposal)
        #expect(choices.terms(for: .vacuum, proposed: [.exact(.clean): proposal]) == nil)
    }

    @Test func `overriding values replace those of the proposal, and without a proposal those of the defaults`() {
        let choices = RetryChoices(own: [.exact(.clean): .override(.init(attempts: 9))])
        let overridden = FailureRetry(attempts: 9, delay: .seconds(30), backoff: 3, jitter: 0)
        #expect(choices.terms(for: .clean, proposed: [.exact(.clean): proposal]) == overridden)
        #expect(choices.terms(for: .clean, proposed: [:]) == FailureRetry(attempts: 9))
        #expect(choices.terms(for: .vacuum, proposed: [.exact(.vacuum): proposal]) == nil)
    }

    @Test func `a choice for one identifier takes precedence over the general one`() {
        let choices = RetryChoices(.accept, own: [.exact(.clean): .refuse])
        let proposed: [PermittedIdentifier: FailureRetry] = [.exact(.clean): proposal, .exact(.vacuum): proposal]
        #expect(choices.terms(for: .clean, proposed: proposed) == nil)
        #expect(choices.terms(for: .vacuum, proposed: proposed) == proposal)
    }

    @Test func `the longest pattern that covers an identifier determines its terms if it has no terms of its own`() {
        let proposed: [PermittedIdentifier: FailureRetry] = [
            "com.example.app.*": FailureRetry(attempts: 2), "com.example.app.export.*": FailureRetry(attempts: 3),
            .exact(.album(7)): FailureRetry(attempts: 4),
        ]
        let choices = RetryChoices(.accept)
        #expect(choices.terms(for: .clean, proposed: proposed)?.attempts == 2)
        #expect(choices.terms(for: .album(1), proposed: proposed)?.attempts == 3)
        #expect(choices.terms(for: .album(7), proposed: proposed)?.attempts == 4)
    }

    @Test func `the list of retries has the proposals and the terms in force, sorted by identifier`() {
        let entry = PluginEntry.app(
            permitted: [.exact(.clean), .exact(.feed), .exact(.vacuum)],
            retries: [.exact(.clean): proposal]
        )
        let choices = RetryChoices(own: [.exact(.vacuum): .override(.init())])
        #expect(
            choices.listings(of: entry) == [
                .init(identifier: .exact(.clean), proposed: proposal, inForce: nil),
                .init(identifier: .exact(.vacuum), proposed: nil, inForce: FailureRetry()),
            ]
        )
    }

    // MARK: Delays

    @Test func `the delay grows by the backoff with each further failure`() {
        #expect(
            (1...4).map { proposal.delay(after: $0) } == [.seconds(30), .seconds(90), .seconds(270), .seconds(810)]
        )
        let constant = FailureRetry(delay: .seconds(30), backoff: 1)
        #expect((1...3).map { constant.delay(after: $0) } == [.seconds(30), .seconds(30), .seconds(30)])
    }

    @Test(arguments: [12, 50, 99]) func `the delay after many failures is one day`(_ failures: Int) {
        #expect(proposal.delay(after: failures) == FailureRetry.longestDelay)
    }

    @Test func `jitter changes a delay by at most its percentage, in both directions`() {
        let terms = FailureRetry(delay: .seconds(100), jitter: 20)
        var random = SeededGenerator(seed: 7)
        let delays = (0..<1_000).map { _ in terms.delay(after: 1, using: &random) }
        #expect(delays.allSatisfy { (.seconds(80) ... .seconds(120)).contains($0) })
        #expect(delays.contains { $0 < .seconds(85) } && delays.contains { $0 > .seconds(115) })
    }

    @Test func `jitter does not extend a delay beyond one day`() {
        let terms = FailureRetry(delay: FailureRetry.longestDelay, jitter: 100)
        var random = SeededGenerator(seed: 7)
        #expect((0..<100).allSatisfy { _ in terms.delay(after: 1, using: &random) <= FailureRetry.longestDelay })
    }

    @Test func `equal seeds give equal delays`() {
        let terms = FailureRetry(jitter: 50)
        var (one, other) = (SeededGenerator(seed: 3), SeededGenerator(seed: 3))
        #expect(terms.delay(after: 2, using: &one) == terms.delay(after: 2, using: &other))
    }
}

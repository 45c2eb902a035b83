// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import Scheduling

@Suite("Each policy decides only from the given facts, with the verdict may, wait or must")
struct PolicyTests {
    /// Facts under which no policy has a reason to delay the work: noon of a day, one hour after the boot.
    private static func facts(
        _ kind: TaskKind = .processing,
        needsNetwork: Bool = false,
        heldSince: Duration? = nil,
        change: (inout Policy.Facts) -> Void = { _ in }
    ) -> Policy.Facts {
        let now = ManualClock().now
        let request = TaskRequest(identifier: .clean, kind: kind, requiresNetwork: needsNetwork)
        let pending = PendingRequest(
            plugin: .app,
            number: SubmissionNumber(rawValue: 1),
            request: request,
            submitter: .user,
            submittedAt: now.wall,
            deferredSince: heldSince.map { now.wall - $0 }
        )
        let event = PendingEvent(
            plugin: .app,
            number: SubmissionNumber(rawValue: 1),
            type: .trigger,
            createdAt: now.wall
        )
        var facts = Policy.Facts(
            work: kind == .event ? .event(event) : .request(pending),
            isUserRequested: false,
            standing: Eligibility.Standing(plugin: .app, entry: .app(), policy: PluginPolicy()),
            startupWaves: StartupWaves(),
            conditions: Conditions(isOnExternalPower: true, hasNetwork: true),
            configuration: SchedulingConfiguration(),
            now: now
        )
        change(&facts)
        return facts
    }

    private static func verdict(_ policy: Policy, _ facts: Policy.Facts) -> Policy.Verdict { policy.verdict(on: facts) }

    private static let kinds: [TaskKind] = TaskKind.allCases

    // MARK: All policies

    @Test(.proves("C13"), arguments: Policy.allCases, kinds)
    func `every policy permits work of each kind that has no reason to wait, and gives a rationale`(
        _ policy: Policy,
        _ kind: TaskKind
    ) {
        let facts = Self.facts(kind)
        #expect(Self.verdict(policy, facts) == .may)
        #expect(!policy.rationale(on: facts).isEmpty)
    }

    /// Facts under which every policy except `use` delays or forces the work.
    private static func everything(_ change: (inout Policy.Facts) -> Void = { _ in }) -> Policy.Facts {
        facts(.processing, needsNetwork: true, heldSince: .days(3)) {
            $0.isUserRequested = true
            $0.conditions.isIdle = false
            $0.conditions.isLoadHigh = true
            $0.startupWaves.network = $0.now.monotonic
            $0.configuration.policies.stagger = .hours(1)
            $0.standing.cooldownEnd = $0.now.monotonic + .seconds(1)
            $0.standing.record.dayUse.add(Duration.hours(5).wholeNanoseconds, at: $0.now.wall)
            change(&$0)
        }
    }

    @Test(.proves("C13"), arguments: Policy.allCases)
    func `each policy that is switched off has a may verdict, and its rationale names policies.off`(_ policy: Policy) {
        let facts = Self.everything { $0.configuration.policies.off = [policy] }
        #expect(Self.verdict(policy, facts) == .may)
        #expect(policy.rationale(on: facts) == "disabled by policies.off in the configuration")
    }

    @Test(.proves("C13"))
    func `a must verdict of one policy overrides wait verdicts of others, and a wait verdict overrides may verdicts`() {
        #expect(Policy.reasons(on: Self.everything()).isEmpty)
        #expect(Policy.reasons(on: Self.everything { $0.isUserRequested = false }).isEmpty)
        let withoutLimit = Self.everything {
            $0.isUserRequested = false
            $0.configuration.policies.off = [.maximumDeferral]
        }
        #expect(Policy.reasons(on: withoutLimit).map(\.code) == ["spacing", "day-budget", "stagger", "not-idle"])
        let calm = Self.everything { $0.configuration.policies.off = Set(Policy.allCases) }
        #expect(Policy.reasons(on: calm).isEmpty)
    }

    @Test(.proves("C13"))
    func `the list of verdicts on a request has one verdict per policy, in the order of the policies`() {
        let verdicts = Policy.verdicts(on: Self.everything())
        #expect(verdicts.map(\.policy) == Policy.allCases)
        let names = verdicts.map(\.verdict.name)
        #expect(names == ["must", "must", "may", "wait", "wait", "wait", "wait", "may", "may", "may"])
    }

    // MARK: Policies user and maximum deferral

    @Test(.proves(89)) func `a request that a user launches has a must verdict`() {
        let facts = Self.facts { $0.isUserRequested = true }
        #expect(Self.verdict(.user, facts) == .must)
        #expect(Policy.user.rationale(on: facts) == "requested by a user")
    }

    @Test(.proves("C12"), arguments: [-1, 0, 1])
    func `the maximum deferral ends exactly two days after the start of a deferral`(_ nanoseconds: Int) {
        let facts = Self.facts(heldSince: .days(2) + .nanoseconds(nanoseconds))
        #expect(Self.verdict(.maximumDeferral, facts) == (nanoseconds < 0 ? .may : .must))
        #expect(Policy.maximumDeferral.rationale(on: facts).contains("they no longer apply after 2d"))
    }

    @Test(.proves("C12")) func `the maximum deferral is configurable`() {
        let facts = Self.facts(heldSince: .hours(1)) { $0.configuration.policies.maximumDeferral = .hours(1) }
        #expect(Self.verdict(.maximumDeferral, facts) == .must)
    }

    @Test(.proves("C12"))
    func `a deferral that starts in the future counts as zero and does not reach the maximum deferral`() {
        let facts = Self.facts(heldSince: -.hours(1))
        #expect(Self.verdict(.maximumDeferral, facts) == .may)
        #expect(Policy.maximumDeferral.rationale(on: facts).contains("for 0s"))
    }

    // MARK: Policy use

    @Test(.proves(69))
    func `the policy of use delays no work, and its rationale counts the uses of the last seven days`() {
        let facts = Self.facts {
            for day in 0..<10 { $0.standing.record.uses.add(1, at: $0.now.wall - .days(9 - day)) }
        }
        #expect(Self.verdict(.use, facts) == .may)
        #expect(Policy.use.rationale(on: facts).contains("triggered its extensions 7 times"))
    }

    // MARK: Policy spacing

    @Test(.proves("C7"), arguments: kinds)
    func `the spacing delays background work until it has passed, and no other kind of work`(_ kind: TaskKind) {
        let until = ManualClock().now.monotonic + .nanoseconds(1)
        let facts = Self.facts(kind) { $0.standing.cooldownEnd = until }
        let isBackground = kind.lane == .background
        #expect(Self.verdict(.spacing, facts) == (isBackground ? .wait(.spacing(until: until)) : .may))
        let over = Self.facts(kind) { $0.standing.cooldownEnd = $0.now.monotonic }
        #expect(Self.verdict(.spacing, over) == .may)
    }

    @Test(.proves("C7"), arguments: [(0, 1), (1, 30), (2, 60), (3, 120), (7, 1_920), (8, 3_600), (500, 3_600)])
    func `the spacing grows with the overruns in a row, up to an hour`(_ overruns: Int, _ seconds: Int) {
        var standing = Eligibility.Standing(plugin: .app, policy: PluginPolicy())
        standing.record.overruns = overruns
        #expect(standing.spacing(SchedulingConfiguration()) == .seconds(seconds))
    }

    @Test(.proves("C7"))
    func `an overrun cooldown replaces a shorter configured spacing, not a longer one, if the spacing policy is on`() {
        var policy = PluginPolicy()
        policy.spacing = .minutes(2)
        var standing = Eligibility.Standing(plugin: .app, policy: policy)
        standing.record.overruns = 1
        #expect(standing.spacing(SchedulingConfiguration()) == .minutes(2))
        standing.record.overruns = 4
        var configuration = SchedulingConfiguration()
        #expect(standing.spacing(configuration) == .minutes(4))
        configuration.policies.off = [.spacing]
        #expect(standing.spacing(configuration) == .minutes(2))
    }

    // MARK: Policy day budget

    @Test(.proves("C7"), arguments: kinds)
    func `a used up day budget delays only background work, until enough use is older than a day`(_ kind: TaskKind) {
        let facts = Self.facts(kind) {
            $0.standing.record.dayUse.add(Duration.hours(3).wholeNanoseconds, at: $0.now.wall - .hours(6))
            $0.standing.record.dayUse.add(Duration.hours(1).wholeNanoseconds, at: $0.now.wall - .hours(1))
        }
        let until = facts.now.wall + .hours(18)
        let expected: Policy.Verdict =
            kind.lane == .background ? .wait(.dayBudget(until: until, limit: .hours(4))) : .may
        #expect(Self.verdict(.dayBudget, facts) == expected)
        if kind == .refresh {
            #expect(Policy.dayBudget.rationale(on: facts) == "used 4h of the day budget of 4h in the last 24h")
        }
    }

    @Test(.proves("C7")) func `a day budget with one nanosecond left does not delay a request`() {
        let facts = Self.facts {
            $0.standing.record.dayUse.add(Duration.hours(4).wholeNanoseconds - 1, at: $0.now.wall)
        }
        #expect(Self.verdict(.dayBudget, facts) == .may)
    }

    @Test(.proves("C7")) func `a plugin's own day budget replaces that of the host`() {
        let facts = Self.facts {
            $0.standing.policy.dayBudget = .minutes(1)
            $0.standing.record.dayUse.add(Duration.minutes(1).wholeNanoseconds, at: $0.now.wall)
        }
        #expect(
            Self.verdict(.dayBudget, facts) == .wait(.dayBudget(until: facts.now.wall + .days(1), limit: .minutes(1)))
        )
    }

    // MARK: Policy stagger

    @Test(.proves("C7"), arguments: StaggerCause.allCases)
    func `the staggered delay after boot, resume and regained network is fixed per plugin and differs for two plugins`(
        _ cause: StaggerCause
    ) {
        let facts = Self.facts(needsNetwork: true) {
            $0.configuration.policies.stagger = .hours(10)
            let now = $0.now.monotonic
            if cause == .boot { return }
            $0.configuration.policies.stagger = .minutes(10)
            if cause == .resume { $0.startupWaves.resume = now } else { $0.startupWaves.network = now }
        }
        guard case .wait(.stagger(let until, let reported)) = Self.verdict(.stagger, facts) else {
            Issue.record("no launch is staggered")
            return
        }
        let start = cause == .boot ? MonotonicTime(nanoseconds: 0) : facts.now.monotonic
        let window = facts.configuration.policies.stagger
        #expect(reported == cause && until - start == StartupWaves.offset(of: .app, in: window))
        #expect(StartupWaves.offset(of: .app, in: window) != StartupWaves.offset(of: .mail, in: window))
    }

    @Test(.proves("C7"))
    func `the stagger after a regained network delays only background work that requires the network`() {
        let regained: (inout Policy.Facts) -> Void = {
            $0.startupWaves.network = $0.now.monotonic
            $0.configuration.policies.stagger = .minutes(10)
        }
        #expect(Self.verdict(.stagger, Self.facts(needsNetwork: false, change: regained)) == .may)
        #expect(Self.verdict(.stagger, Self.facts(.refresh, needsNetwork: true, change: regained)) != .may)
        #expect(Self.verdict(.stagger, Self.facts(.continued, change: regained)) == .may)
        #expect(Self.verdict(.stagger, Self.facts(.event, change: regained)) == .may)
    }

    @Test(.proves("C7"), arguments: kinds)
    func `the rationale of the stagger names its window only for background work`(_ kind: TaskKind) {
        let rationale = Policy.stagger.rationale(
            on: Self.facts(kind) { $0.configuration.policies.stagger = .minutes(1) }
        )
        #expect(
            kind.lane == .background
                ? rationale.hasPrefix("for 1min after a start or a resume of the machine or a regained network")
                : rationale == "applies to background launches only"
        )
    }

    @Test(.proves("C7")) func `the staggered delays of 500 plugins lie within the window and mostly differ`() {
        let places = (1...500).compactMap { PluginIdentifier("com.example.plugin\($0)") }.map {
            StartupWaves.offset(of: $0, in: .seconds(60))
        }
        #expect(places.allSatisfy { $0 >= .zero && $0 < .seconds(60) })
        // Two plugins may share a delay, but more than half of the delays differ.
        #expect(Set(places).count > 250)
    }

    // MARK: Policies idle and load

    @Test(.proves(66), arguments: kinds)
    func `the policy of idleness delays only processing, while the machine is in use`(_ kind: TaskKind) {
        let facts = Self.facts(kind) { $0.conditions.isIdle = false }
        #expect(Self.verdict(.idle, facts) == (kind.isProcessing ? .wait(.notIdle) : .may))
        #expect(
            Policy.idle.rationale(on: facts)
                == (kind.isProcessing ? "the machine is not known to be idle" : "applies to processing requests only")
        )
    }

    @Test(.proves(73), arguments: kinds)
    func `high load delays refresh and continued requests, pushes and transfers, and no other kind of work`(
        _ kind: TaskKind
    ) {
        let facts = Self.facts(kind) { $0.conditions.isLoadHigh = true }
        let isHeld = kind == .refresh || kind == .continued || kind == .push || kind == .transfer
        #expect(Self.verdict(.load, facts) == (isHeld ? .wait(.highLoad) : .may))
        #expect(
            Policy.load.rationale(on: facts)
                == (isHeld
                    ? "the processors are busy"
                    : "applies to refresh and continued requests, pushes and transfers only")
        )
    }

    @Test(.proves(73))
    func `if the policy of idleness is off, the rationale of the load policy names requests as its scope`() {
        let facts = Self.facts(.event) { $0.configuration.policies.off = [.idle] }
        #expect(Policy.load.rationale(on: facts) == "applies to requests only")
    }

    @Test(.proves(73)) func `high load delays processing too when the policy of idleness is switched off`() {
        let facts = Self.facts {
            $0.conditions.isLoadHigh = true
            $0.configuration.policies.off = [.idle]
        }
        #expect(Self.verdict(.load, facts) == .wait(.highLoad))
    }

    // MARK: battery

    @Test(arguments: kinds)
    func `the battery policy delays only background requests, while the battery is low`(_ kind: TaskKind) {
        let facts = Self.facts(kind) { $0.conditions[.batteryLow] = true }
        let isBackground = kind.lane == .background
        #expect(Self.verdict(.battery, facts) == (isBackground ? .wait(.batteryLow) : .may))
        #expect(
            Policy.battery.rationale(on: facts)
                == (isBackground
                    ? "the battery is low and the machine is not on external power"
                    : "applies to background launches only")
        )
        #expect(Self.verdict(.battery, Self.facts(kind)) == .may)
    }

    // MARK: power saver

    @Test(arguments: kinds)
    func `the power-saver policy delays only background requests, while the machine saves power`(_ kind: TaskKind) {
        let facts = Self.facts(kind) { $0.conditions[.powerSaver] = true }
        #expect(Self.verdict(.powerSaver, facts) == (kind.lane == .background ? .wait(.powerSaver) : .may))
        #expect(Self.verdict(.powerSaver, Self.facts(kind)) == .may)
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

@testable import Scheduling

// The setup of a walk: versions of the plugins, and a random configuration of the host.
extension RandomWalk {
    static let tasks: [TaskIdentifier] = [.feed, .clean, .vacuum, .index, .study, .job(1), .job(2), .job(3)]
    static let newsTask: TaskIdentifier = "com.example.news.latest"
    static let news: PluginEntry = .main("com.example.news", version: "2.0", permitted: [.exact(newsTask)])

    private static let everyMode = Set(BackgroundMode.allCases)
    /// The version with which every request of the sample plugin can run.
    static let latest: PluginEntry = .studio(version: "9.0", modes: everyMode, extensions: [.keyboard])

    static let entries: [PluginEntry] = [
        .studio(extensions: [.keyboard]), .studio(version: "2.0", extensions: [.keyboard]), .studio(version: "3.0"),
        .studio(version: "4.0", modes: [.processing], extensions: [.keyboard]),
        .studio(version: "5.0", entitlements: [], extensions: [.keyboard]),
        .studio(version: "7.0", modes: everyMode, extensions: [.keyboard]),
        .studio(version: "8.0", modes: everyMode, extensions: [.keyboard]),
        .main(.app, version: "6.0", permitted: [.exact(.clean), .exact(.feed), "com.example.app.export.*"]),
        .mail(), .mail(), .keyboard(), .keyboard(version: "2.0"),
        .main("com.example.news", permitted: [], modes: [.fetch]), news,
    ]

    static func configuration(from random: inout SeededGenerator) -> SchedulingConfiguration {
        var configuration = SchedulingConfiguration()
        configuration.backgroundLaunches = Int.random(in: 1...3, using: &random)
        configuration.eventLaunches = Int.random(in: 1...2, using: &random)
        configuration.continuedLaunches = Int.random(in: 1...2, using: &random)
        configuration.batchSize = [2, 4, 100].randomElement(using: &random) ?? 4
        configuration.eventLimit = 5
        // Long, so that a host without runners or commits does not retry every second for hours.
        configuration.hostRetryDelay = .seconds(20)
        configuration.removedPluginRetention = .hours(5)
        configuration.isBackgroundRefreshOn = random.chance(90)
        configuration.policies = policies(from: &random)
        configuration.timeZones = .machine(.utc)
        configuration.plugins = [.app: studio(from: &random), .mail: mail(from: &random)]
        return configuration
    }

    private static func policies(from random: inout SeededGenerator) -> PolicyConfiguration {
        var policies = PolicyConfiguration()
        // The model has one spacing for all requests; SpacingTests prove that of a kind.
        policies.kindSpacing = [:]
        policies.learnsUse = random.chance(50)
        policies.stagger = [.zero, .zero, .seconds(60)].randomElement(using: &random) ?? .zero
        policies.dayBudget = random.chance(30) ? .minutes(25) : .hours(1_000)
        policies.maximumDeferral = [.minutes(20), .hours(3), .days(2)].randomElement(using: &random) ?? .hours(3)
        for policy in Policy.allCases where policy != .user && random.chance(10) { policies.off.insert(policy) }
        return policies
    }

    private static func studio(from random: inout SeededGenerator) -> PluginPolicy {
        var policy = PluginPolicy()
        var limits = PendingLimits()
        limits.processing = 4
        limits.continued = 3
        policy.limits = limits
        policy.allowsPatternsForProcessing = random.chance(30)
        if random.chance(50) {
            let terms = FailureRetry.Values(attempts: 3, delay: .minutes(2), backoff: 3, jitter: 0)
            policy.retries = RetryChoices(
                own: [.exact(.clean): .override(terms), "com.example.app.export.*": .override(terms)]
            )
        }
        if random.chance(30) { policy.schedules[.index] = WorkSchedule(.every(.minutes(30)), stagger: .minutes(5)) }
        if random.chance(30), let rule = CalendarRule(hour: 13, minute: 0, zone: .machine) {
            policy.schedules[.vacuum] = WorkSchedule(.calendar(rule), stagger: .minutes(5))
        }
        return policy
    }

    private static func mail(from random: inout SeededGenerator) -> PluginPolicy {
        var policy = PluginPolicy()
        policy.isEnabled = random.chance(95)
        policy.isBackgroundDenied = random.chance(5)
        policy.isBackgroundRefreshOn = random.chance(90)
        if random.chance(20) { policy.spacing = .seconds(40) }
        if random.chance(20) { policy.dayBudget = .minutes(10) }
        return policy
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI
import Scheduling
import TaskModel

/// Settings of policies for a forecast, with the keys of the configuration.
struct ForecastPolicyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Switch off these policies and no others: \(Policy.allCases.map(\.rawValue).joined(separator: ", ")), or"
                + " none.",
            valueName: "policies"
        ),
        completion: .several(Policy.allCases, \.rawValue)
    )
    var off: String?

    @Option(help: help("Window of the stagger after a start-up wave.")) var stagger: String?
    @Option(help: help("Spacing of a plugin's own refresh requests.")) var refreshSpacing: String?
    @Option(help: help("Spacing of pushes.")) var pushSpacing: String?
    @Option(help: help("Cooldown after a first overrun.")) var overrunSpacing: String?
    @Option(help: help("Longest cooldown after overruns.")) var longestSpacing: String?
    @Option(help: help("Running time of a plugin per day from which its launches wait.")) var dayBudget: String?
    @Option(help: help("Longest time for which advisory policies delay a request.")) var maximumDeferral: String?
    @Option(help: help("Longest time for which more used plugins come first.")) var maximumCapacityWait: String?

    private static func help(_ text: String) -> ArgumentHelp { ArgumentHelp("\(text)", valueName: "duration") }

    /// The settings; nil without one. Throws for an unknown policy and an invalid duration.
    func settings() throws -> ForecastPolicies? {
        var settings = ForecastPolicies()
        if let off {
            let policies = try FilterValues.words(off, among: Policy.allCases.map(Optional.some) + [nil]) {
                $0?.rawValue ?? "none"
            }
            settings.off = policies.compactMap { $0?.rawValue }
        }
        settings.stagger = try duration(stagger, "stagger")
        settings.refreshSpacing = try duration(refreshSpacing, "refresh-spacing")
        settings.pushSpacing = try duration(pushSpacing, "push-spacing")
        settings.overrunSpacing = try duration(overrunSpacing, "overrun-spacing")
        settings.longestSpacing = try duration(longestSpacing, "longest-spacing")
        settings.dayBudget = try duration(dayBudget, "day-budget")
        settings.maximumDeferral = try duration(maximumDeferral, "maximum-deferral")
        settings.maximumCapacityWait = try duration(maximumCapacityWait, "maximum-capacity-wait")
        return settings == ForecastPolicies() ? nil : settings
    }

    private func duration(_ text: String?, _ option: String) throws -> Nanoseconds? {
        guard let text else { return nil }
        if let duration = DurationText.duration(text[...]) { return Nanoseconds(duration) }
        let remedy = DurationText.correction(of: text[...]).map { "write \($0)" } ?? "write it like 30min or 2h"
        throw ValidationError("--\(option) \(text.inQuotes) is not a duration; \(remedy)")
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LocatedYAML
import Scheduling
import TaskModel

/// The values of the configuration file for one plugin. Missing values are inherited from the host.
struct OperatorPolicy: Sendable {
    let plugin: PluginIdentifier
    let isEnabled: Bool
    let allowsPatternsForProcessing: Bool
    let allowsPrivateAddresses: Bool
    let limits: (refresh: Int?, processing: Int?, continued: Int?)?
    let budgets:
        (
            refresh: Duration?, processing: Duration?, healthResearch: Duration?, event: Duration?, push: Duration?
        )?
    let gracePeriod: Duration?
    let spacing: Duration?
    let dayBudget: Duration?
    let isBackgroundRefreshOn: Bool
    let isBackgroundDenied: Bool
    let retries: RetryChoices
    let schedules: [TaskIdentifier: WorkSchedule]
    let settings: [String: String]
    /// The sources of the plugin's secret settings.
    let secrets: [String: SecretSource]
    /// Extensions that may share the plugin's container and submit for it, in addition to the extensions in its
    /// manifest.
    var extensions: [Field<PluginIdentifier>]

    func over(_ host: SchedulingConfiguration) -> PluginPolicy {
        var policy = PluginPolicy()
        policy.isEnabled = isEnabled
        policy.allowsPatternsForProcessing = allowsPatternsForProcessing
        policy.allowsPrivateAddresses = allowsPrivateAddresses
        policy.gracePeriod = gracePeriod
        policy.spacing = spacing
        policy.dayBudget = dayBudget
        policy.isBackgroundRefreshOn = isBackgroundRefreshOn
        policy.isBackgroundDenied = isBackgroundDenied
        policy.retries = retries
        policy.schedules = schedules
        if let limits {
            var own = host.limits
            own.refresh = limits.refresh ?? own.refresh
            own.processing = limits.processing ?? own.processing
            own.continued = limits.continued ?? own.continued
            policy.limits = own
        }
        if let budgets {
            var own = host.budgets
            own.refresh = budgets.refresh ?? own.refresh
            own.processing = budgets.processing ?? own.processing
            own.healthResearch = budgets.healthResearch ?? own.healthResearch
            own.event = budgets.event ?? own.event
            own.push = budgets.push ?? own.push
            policy.budgets = own
        }
        return policy
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

// The JSON keys of the reply about one plugin.
extension PluginReply {
    private enum CodingKeys: String, CodingKey {
        case manifest, requires, architectures, provenance, settings, secrets, handlers, grants, notes, limits, budgets,
            retry, reasons
        case entitlements, schedules
        case dayBudget = "day_budget_ns"
        case isBackgroundRefreshOn = "background_refresh"
        case isBackgroundDenied = "background_denied"
        case containingPlugin = "containing_plugin"
        case extensionPoint = "extension_point"
        case manifestDigest = "manifest_digest"
        case libraryDigest = "library_digest"
        case hasMainBundle = "main_bundle"
        case librariesToLoad = "libraries_to_load"
        case gracePeriod = "grace_period_ns"
        case spacing = "spacing_ns"
        case batchSize = "batch_size"
        case retention = "retention_ns"
        case failureRetries = "failure_retries"
        case lastLaunch = "last_launch"
        case waitingEvents = "waiting_events"
    }

    // The keys of the summary are encoded on the same level as the others, as in the list.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        summary = try PluginListReply.Summary(from: decoder)
        containingPlugin = try container.decodeIfPresent(String.self, forKey: .containingPlugin)
        extensionPoint = try container.decodeIfPresent(String.self, forKey: .extensionPoint)
        manifest = try container.decode(String.self, forKey: .manifest)
        manifestDigest = try container.decode(String.self, forKey: .manifestDigest)
        requires = try container.decode([String].self, forKey: .requires)
        libraryDigest = try container.decode(String.self, forKey: .libraryDigest)
        architectures = try container.decode([String].self, forKey: .architectures)
        hasMainBundle = try container.decode(Bool.self, forKey: .hasMainBundle)
        librariesToLoad = try container.decode([String].self, forKey: .librariesToLoad)
        provenance = try container.decode(PluginProvenance.self, forKey: .provenance)
        settings = try container.decode([String: String].self, forKey: .settings)
        secrets = try container.decode([Secret].self, forKey: .secrets)
        handlers = try container.decode([Handler].self, forKey: .handlers)
        grants = try container.decode(GrantsInForce.self, forKey: .grants)
        notes = try container.decode([ManifestNote].self, forKey: .notes)
        limits = try container.decode([KindLimit].self, forKey: .limits)
        budgets = try container.decode([KindBudget].self, forKey: .budgets)
        gracePeriod = try container.decode(Nanoseconds.self, forKey: .gracePeriod)
        spacing = try container.decode(Nanoseconds.self, forKey: .spacing)
        batchSize = try container.decode(Int.self, forKey: .batchSize)
        dayBudget = try container.decode(Nanoseconds.self, forKey: .dayBudget)
        isBackgroundRefreshOn = try container.decode(Bool.self, forKey: .isBackgroundRefreshOn)
        isBackgroundDenied = try container.decode(Bool.self, forKey: .isBackgroundDenied)
        entitlements = try container.decode([String].self, forKey: .entitlements)
        schedules = try container.decode([Schedule].self, forKey: .schedules)
        retry = try container.decode(RetryRule.self, forKey: .retry)
        failureRetries = try container.decode([FailureRetryReply].self, forKey: .failureRetries)
        retention = try container.decode(Nanoseconds.self, forKey: .retention)
        lastLaunch = try container.decodeIfPresent(LastLaunch.self, forKey: .lastLaunch)
        reasons = try container.decode([WaitingReason].self, forKey: .reasons)
        waitingEvents = try container.decode([TaskListReply.Event].self, forKey: .waitingEvents)
    }

    package func encode(to encoder: any Encoder) throws {
        try summary.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(containingPlugin, forKey: .containingPlugin)
        try container.encodeIfPresent(extensionPoint, forKey: .extensionPoint)
        try container.encode(manifest, forKey: .manifest)
        try container.encode(manifestDigest, forKey: .manifestDigest)
        try container.encode(requires, forKey: .requires)
        try container.encode(libraryDigest, forKey: .libraryDigest)
        try container.encode(architectures, forKey: .architectures)
        try container.encode(hasMainBundle, forKey: .hasMainBundle)
        try container.encode(librariesToLoad, forKey: .librariesToLoad)
        try container.encode(provenance, forKey: .provenance)
        try container.encode(settings, forKey: .settings)
        try container.encode(secrets, forKey: .secrets)
        try container.encode(handlers, forKey: .handlers)
        try container.encode(grants, forKey: .grants)
        try container.encode(notes, forKey: .notes)
        try container.encode(limits, forKey: .limits)
        try container.encode(budgets, forKey: .budgets)
        try container.encode(gracePeriod, forKey: .gracePeriod)
        try container.encode(spacing, forKey: .spacing)
        try container.encode(batchSize, forKey: .batchSize)
        try container.encode(dayBudget, forKey: .dayBudget)
        try container.encode(isBackgroundRefreshOn, forKey: .isBackgroundRefreshOn)
        try container.encode(isBackgroundDenied, forKey: .isBackgroundDenied)
        try container.encode(entitlements, forKey: .entitlements)
        try container.encode(schedules, forKey: .schedules)
        try container.encode(retry, forKey: .retry)
        try container.encode(failureRetries, forKey: .failureRetries)
        try container.encode(retention, forKey: .retention)
        try container.encodeIfPresent(lastLaunch, forKey: .lastLaunch)
        try container.encode(reasons, forKey: .reasons)
        try container.encode(waitingEvents, forKey: .waitingEvents)
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel
import TerminalText

extension HostStatusReply: Presentable {
    func text(for reader: Reader) -> String {
        var fields = FieldList()
        fields.add("version", version)
        fields.add("features", each: features)
        fields.add("process", "\(pid), user \(user)" + (isStopping ? ", stopping" : ""))
        fields.add("started", startedAt.text(for: reader))
        fields.add("boot", bootID)
        fields.add("time zone", timeZone)
        fields.add("socket", socket)
        let groups = ControlRole.allCases.compactMap { role in
            socketGroups[role.rawValue].map { "\(role.rawValue) \($0)" }
        }
        fields.add("socket groups", groups.isEmpty ? "none" : groups.joined(separator: ", "))
        fields.add("state", stateDirectory)
        let incarnation = self.incarnation == 1 ? "" : ", incarnation \(self.incarnation)"
        fields.add("ledger", ledger.words(for: reader) + incarnation)
        if let diskShortage { fields.add("disk", diskShortage) }
        fields.add("manifests", each: manifestDirectories)
        fields.add("plugins", pluginDirectory)
        fields.add("configuration", configurationFile ?? "none: only defaults and options")
        let absent = configuredWithoutPlugin.map {
            "\($0): named in the configuration; its manifest is missing or refused"
        }
        fields.add("not installed", each: absent)
        fields.add(conditions)
        fields.add("sensors", sensors.words)
        fields.add("catalogue", "\(counts.plugins) installed, \(counts.refused) refused")
        let launches = counts.runningLaunches == 1 ? "1 launch" : "\(counts.runningLaunches) launches"
        let events = counts.events == 1 ? "1 event" : "\(counts.events) events"
        fields.add("work", "\(counts.pending) pending, \(events) waiting, \(launches) running")
        fields.add("pending limits", limits.map(\.words).joined(separator: ", "))
        fields.add("launch limits", launchLimits.map(\.words).joined(separator: ", "))
        fields.add("idle runners", "\(idleRunners.waiting) of \(idleRunners.limit)")
        fields.add("budgets", budgets.map(\.words).joined(separator: ", "))
        fields.add("grace period", gracePeriod.duration.humanReadable)
        fields.add("spacing", spacing.duration.humanReadable)
        fields.add("batch size", "\(batchSize)")
        fields.add("idle timeout", idleTimeout.duration.humanReadable)
        fields.add("retry", retry.words)
        fields.add("retention", retention.words)
        fields.add("logs", logs.words)
        fields.add("policies", policies.words)
        fields.add("isolation", each: [isolation.words] + isolation.guarantees.map(\.words))
        fields.add("plugin users", isolation.pluginUsers.words)
        fields.add("each launch", isolation.launchLimits.words)
        fields.add(
            "grant limits",
            each: isolation.grantLimits.map { "\($0.pattern): \($0.limits.joined(separator: "; "))" }
        )
        fields.add("provenance", each: provenance.words)
        fields.add("continued", continued.words)
        let interval = minimumFetchInterval.duration.humanReadable
        let fetch = "legacy fetch of each plugin at most every \(interval)"
        let refresh = isBackgroundRefreshOn ? "on, \(fetch)" : "off, and no legacy fetch runs; when on, \(fetch)"
        fields.add("refresh", refresh)
        return fields.text
    }
}

extension ProvenanceInForce {
    /// The lines about provenance: the policies in one line, then the path of the signers file and that of the list of
    /// revoked keys, if they are configured.
    fileprivate var words: [String] {
        ["unsigned \(unsigned), unpinned \(unpinned), packages \(packages)"]
            + [signers.map { "signers \($0)" }, revoked.map { "revoked \($0)" }].compactMap(\.self)
    }
}

extension LedgerState {
    /// The state, as `writable`, or as `failing since 02:00:00 (5min ago): ...`.
    fileprivate func words(for reader: Reader) -> String {
        let since = since.map { " since \($0.text(for: reader))" } ?? ""
        return state.rawValue + since + (error.map { ": \($0)" } ?? "")
    }
}

extension KindLimit {
    /// Use and limit, as `processing 3 of 10`; only the limit, as `processing 10`, when `used` is nil.
    var words: String { used.map { "\(kind) \($0) of \(limit)" } ?? "\(kind) \(limit)" }
}

extension KindBudget {
    /// Kind and budget, as `refresh 30s`.
    var words: String { "\(kind) \(budget.duration.humanReadable)" }
}

extension RetryRule {
    /// The retry rule in a phrase, as
    /// `a task after 10s, doubling, at most 3 attempts; a failed runner or commit after 1s`.
    var words: String {
        let attempts = attempts == 1 ? "1 attempt" : "\(attempts) attempts"
        return "a task after \(delay.duration.humanReadable), doubling, at most \(attempts); "
            + "a failed runner or commit after \(hostDelay.duration.humanReadable)"
    }
}

extension Retention {
    var words: String {
        "removed plugins' requests \(removedPlugin.duration.humanReadable), "
            + "journal and ended launches \(journal.duration.humanReadable), "
            + "\(LimitWords.size(journalBytes)) of journal; "
            + "each deletion waits \(doubt.duration.humanReadable), in case the clock is wrong"
    }
}

extension LogsInForce {
    /// The limits, as `1MiB per launch, 16MiB per plugin, 512MiB in all, kept for 14d`.
    var words: String {
        if total == 0 { return "0B in all, so no logs are kept" }
        let sizes = [(launch, "per launch"), (plugin, "per plugin"), (total, "in all")]
        return sizes.map { "\(LimitWords.size($0)) \($1)" }.joined(separator: ", ")
            + ", kept for \(retention.duration.humanReadable)"
    }
}

extension SensorsInForce {
    /// The thresholds, sorted by key, as `busy-after 10s, busy-percent 25, ...`.
    var words: String {
        values.sorted { $0.key < $1.key }.map { field, value in
            let suffix = Self.durationSuffix
            let key = (field.hasSuffix(suffix) ? field.dropLast(suffix.count) : field[...]).replacing("_", with: "-")
            return "\(key) " + (field.hasSuffix(suffix) ? Duration.nanoseconds(value).humanReadable : "\(value)")
        }.joined(separator: ", ")
    }
}

extension PoliciesInForce {
    var words: String {
        let numbers = [
            "stagger \(stagger.duration.humanReadable)",
            "spacing of plugins' own refresh requests \(refreshSpacing.duration.humanReadable)",
            "spacing of pushes \(pushSpacing.duration.humanReadable)",
            "spacing after overruns \(overrunSpacing.duration.humanReadable), doubling to "
                + longestSpacing.duration.humanReadable,
            "use is \(learnsUse ? "" : "not ")learned",
            "day budget \(dayBudget.duration.humanReadable)",
            "maximum deferral \(maximumDeferral.duration.humanReadable)",
            "maximum capacity wait \(maximumCapacityWait.duration.humanReadable)",
        ]
        let off = off.isEmpty ? "" : "; off: \(off.joined(separator: ", "))"
        return numbers.joined(separator: ", ") + off
    }
}

extension IsolationInForce {
    /// The operator's choice of isolation, as `best-effort`, or with the required guarantees, as `required: files,
    /// network`.
    fileprivate var words: String {
        required.isEmpty ? choice : "\(choice): \(required.joined(separator: ", "))"
    }
}

extension GuaranteeInForce {
    /// The guarantee with its mechanism, as `network: seccomp`, or with the reason why it is not enforced.
    var words: String { "\(name): " + (enforcedBy ?? "not enforced: \(notEnforced ?? "")") }
}

extension PluginUsersInForce {
    /// The users, as `600000-665535, one per plugin`, or as `the host's user: plugin-users is host`.
    var words: String { range.map { "\($0), one per plugin" } ?? "the host's user: \(reason ?? "")" }
}

/// Renders the limits of a launch.
enum LimitWords {
    /// The limits, as `memory 64MiB, processes 512, file size 1GiB`; `unlimited` for a missing limit.
    static func text(memory: Int64?, processes: Int?, fileSize: Int64?) -> String {
        "memory \(memory.map(size) ?? "unlimited"), processes \(processes.map(String.init) ?? "unlimited"),"
            + " file size \(fileSize.map(size) ?? "unlimited")"
    }

    /// The size in the largest unit without a remainder.
    static func size(_ bytes: Int64) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB"]
        var (value, unit) = (bytes, 0)
        while value % 1_024 == 0, value > 0, unit < units.count - 1 { (value, unit) = (value / 1_024, unit + 1) }
        return "\(value)\(units[unit])"
    }
}

extension LaunchLimitsInForce {
    /// The limits, the reserve and the priority, as `memory unlimited, processes 512, file size 1GiB, disk reserve
    /// 1GiB, background nice 10`.
    var words: String {
        LimitWords.text(memory: memory, processes: processes, fileSize: fileSize)
            + ", disk reserve \(LimitWords.size(diskReserve)), background nice \(backgroundNice)"
    }
}

extension ContinuedRule {
    var words: String {
        "expired after \(stallLimit.duration.humanReadable) without progress; under memory pressure one task is expired"
            + " every " + pressureInterval.duration.humanReadable
    }
}

extension LaneLimit {
    /// Number of running launches and the limit of the lane, as `background 1 of 4` or `background 1 of 4 (2
    /// stopping)`.
    var words: String { "\(lane) \(running) of \(limit)" + (stopping > 0 ? " (\(stopping) stopping)" : "") }
}

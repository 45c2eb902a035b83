// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel
import TerminalText

extension PluginReply: Presentable {
    func text(for reader: Reader) -> String {
        var fields = FieldList()
        fields.add("plugin", summary.identifier)
        fields.add("name", summary.name + (summary.version.map { " \($0)" } ?? ""))
        fields.add("role", summary.role + (containingPlugin.map { " of \($0)" } ?? ""))
        fields.add("launched by", each: extensionPoint.map { [$0] } ?? [])
        fields.add("state", summary.state.rawValue)
        fields.add("paused", each: summary.pause.map { [$0.text(for: reader)] } ?? [])
        fields.add("waits for", each: reasons.map { $0.text(for: reader) })
        fields.add("modes", each: summary.modes.isEmpty ? [] : [summary.modes.joined(separator: ", ")])
        fields.add("permitted", each: summary.permitted)
        fields.add("extensions", each: summary.extensions)
        fields.add("manifest", each: [manifest, "sha256 \(manifestDigest)"])
        fields.add("requires", each: requires)
        fields.add("library", each: [summary.library, "sha256 \(libraryDigest)"])
        fields.add("libraries for", each: architectures.isEmpty ? [] : [architectures.joined(separator: ", ")])
        fields.add("main bundle", each: hasMainBundle ? ["each launch starts in it, with a process of its own"] : [])
        fields.add("provenance", each: provenance.words)
        fields.add("handlers", each: handlers.map(\.text))
        fields.add("grants", each: grants.words)
        fields.add("enforced by", each: grants.guarantees.map(\.words))
        fields.add(
            "launch limits",
            LimitWords.text(memory: grants.memory, processes: grants.processLimit, fileSize: grants.fileSize)
        )
        fields.add("user", each: grants.user.map { ["\($0), its own"] } ?? [])
        fields.add("settings", each: settings.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" })
        fields.add(
            "secrets",
            each: secrets.map { secret in
                "\(secret.setting) from "
                    + (secret.source
                        ?? "no source; write plugins.\(summary.identifier).secrets in the host's configuration, and"
                        + " start the host again")
            }
        )
        fields.add("work", "\(summary.pending) pending, \(summary.running) running")
        fields.add("events", each: eventLines(for: reader))
        fields.add("pending limits", limits.map(\.words).joined(separator: ", "))
        fields.add("budgets", budgets.map(\.words).joined(separator: ", "))
        fields.add("grace period", gracePeriod.duration.humanReadable)
        fields.add("spacing", spacing.duration.humanReadable)
        fields.add("batch size", "\(batchSize)")
        fields.add("day budget", dayBudget.duration.humanReadable)
        let background = isBackgroundRefreshOn ? "on" : "refresh and legacy fetch are off"
        fields.add("background", isBackgroundDenied ? "denied" : background)
        fields.add("entitlements", each: entitlements)
        fields.add("schedules", each: schedules.map { $0.text(for: reader) })
        fields.add("retry", retry.words)
        fields.add("failed tasks", each: failureRetries.map(\.words))
        fields.add("retention", "requests are kept for \(retention.duration.humanReadable) after a removal or refusal")
        fields.add("last launch", lastLaunch?.text(for: reader) ?? "never")
        let noteLines = notes.map { String($0.text(in: manifest).dropLast()) }
        fields.add("notes", each: noteLines)
        return fields.text
    }
}

extension PluginReply {
    private func eventLines(for reader: Reader) -> [String] {
        let more = summary.events - waitingEvents.count
        let rest = more == 1 ? "and 1 more event" : "and \(more) more events"
        return waitingEvents.map { $0.line(for: reader) } + (more > 0 ? [rest] : [])
    }
}

extension PluginProvenance {
    /// One line with the source or the signer of the manifest and whether the library is pinned, then one line for each
    /// other pinned file.
    var words: [String] {
        let pin = isPinned ? "the library is pinned" : "the library is not pinned"
        let origin =
            switch (signer, source) {
            case (let signer?, _):
                "signed by \(signer.keyType) \(signer.fingerprint), which signs for \(signer.principals); \(pin)"
            case (nil, Provenance.Source.package.rawValue): "from a package; \(pin)"
            default: "\(source); \(pin)"
            }
        return [origin] + files.map { "file \($0.name), sha256 \($0.digest)" }
    }
}

extension GrantsInForce {
    /// The requested grants, one line each. Where a grant has another effect than requested, the line also has the
    /// effective values and the cause.
    var words: [String] {
        rights.isEmpty ? ["none: its library and its container only"] : rights.map(\.words)
    }
}

extension GrantsInForce.Right {
    var words: String {
        let request = requested == "true" ? grant : "\(grant) \(requested)"
        let excess = notEnforced.map { "; not enforced: \($0)" } ?? ""
        guard let cause else { return request + excess }
        let effect = effective.isEmpty ? "without effect" : "only \(effective.joined(separator: ", "))"
        return "\(request): \(effect), because \(cause)\(excess)"
    }
}

extension FailureRetryReply {
    /// The terms in force; the proposal if it differs.
    var words: String {
        let proposal = proposed.map { "the manifest proposes \($0.terms.words)" }
        guard let inForce else { return "\(identifier): not retried" + (proposal.map { "; \($0)" } ?? "") }
        return "\(identifier): \(inForce.terms.words)" + (proposed == inForce ? "" : proposal.map { "; \($0)" } ?? "")
    }
}

extension PluginReply.Handler {
    var text: String {
        let values = arguments.isEmpty ? "" : "; called with " + arguments.joined(separator: ", ")
        return "\(identifier) is \(signature)\(values)" + (success.map { "; \($0)" } ?? "")
    }
}

extension PluginReply.Schedule {
    func text(for reader: Reader) -> String {
        "\(identifier) (\(kind)) \(rhythm)" + (next.map { ", next \($0.text(for: reader))" } ?? "")
    }
}

extension PluginReply.LastLaunch {
    func text(for reader: Reader) -> String {
        let result = outcome ?? "running"
        let words = message.map { $0.isEmpty ? "" : ": \($0)" } ?? ""
        return "\(launch), \(startedAt.text(for: reader)), \(result)\(words)"
    }
}

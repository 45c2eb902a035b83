// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import TaskModel

/// Rules for the items of lists in a manifest.
extension ManifestCheck {
    func modes() -> Set<BackgroundMode> {
        var modes: Set<BackgroundMode> = []
        for field in draft.modes?.value ?? [] {
            if let mode = BackgroundMode(rawValue: field.value) {
                if !modes.insert(mode).inserted { noteRepeated(field) }
            } else {
                reportMode(field)
            }
        }
        return modes
    }

    private func reportMode(_ field: Field<String>) {
        switch draft.format {
        case .yaml:
            problems.report(
                field,
                notAmong: BackgroundMode.allCases.map(\.rawValue),
                remedy: Self.mode(ofKind: field.value).map { "write \"\($0)\", the mode for \(field.value) requests" }
            )
        case .propertyList:
            problems.note(
                .meaninglessMode,
                at: field,
                "is \(field.value.inQuotes), which has no effect",
                remedy: "nothing to do: it is ignored"
            )
        }
    }

    /// The mode that requests of a kind need, if it has another name than the kind; nil otherwise.
    private static func mode(ofKind word: String) -> String? {
        switch word {
        case "refresh": BackgroundMode.fetch.rawValue
        case "health-research": BackgroundMode.processing.rawValue
        case "push": BackgroundMode.remoteNotification.rawValue
        default: nil
        }
    }

    func permitted(of plugin: PluginIdentifier?) -> [Field<PermittedIdentifier>] {
        var seen: Set<PermittedIdentifier> = []
        return (draft.permitted?.value ?? []).compactMap { field in
            guard let permitted = PermittedIdentifier(field.value) else {
                reportPermitted(field)
                return nil
            }
            if !seen.insert(permitted).inserted {
                noteRepeated(field)
                return nil
            }
            if case .pattern(let prefix) = permitted, let plugin,
                prefix.text != plugin.text, !prefix.text.hasPrefix(plugin.text + ".")
            {
                problems.report(
                    .patternPrefix,
                    at: field,
                    "is \(field.value.inQuotes); a pattern begins with the plugin's identifier \"\(plugin)\"",
                    remedy: "write \"\(plugin).*\", or name the identifiers one by one"
                )
            }
            if case .exact(let name) = permitted, name.hasOneLabel { noteOneLabel(field, of: plugin) }
            return field.map { _ in permitted }
        }
    }

    /// Reports a note about an identifier with one label, which another plugin may also have. It is no error, because
    /// published code for Apple's platforms uses such identifiers.
    private func noteOneLabel(_ field: Field<String>, of plugin: PluginIdentifier?) {
        let example = "\(plugin?.text ?? "com.example.app").\(field.value)"
        problems.note(
            .oneLabel,
            at: field,
            "is \(field.value.inQuotes), which has one label, so another plugin may have it too; a host refuses one"
                + " of two plugins with the same task identifier",
            remedy: "rename it to a reverse-DNS name such as \(example)"
        )
    }

    private func reportPermitted(_ field: Field<String>) {
        let name = field.value.hasSuffix(".*") ? String(field.value.dropLast(2)) : field.value
        guard name.contains("*") else {
            return problems.reportIdentifier(field, of: name, isTask: !field.value.hasSuffix(".*"))
        }
        problems.report(
            .identifier,
            at: field,
            "is \(field.value.inQuotes); a star is allowed only at the end, after a dot",
            remedy: "write a pattern such as com.example.app.export.*"
        )
    }

    func extensions(of plugin: PluginIdentifier?) -> [PluginIdentifier] {
        var seen: Set<PluginIdentifier> = []
        return (draft.extensions?.value ?? []).compactMap { field in
            guard let identifier = pluginIdentifier(field)?.value else { return nil }
            if identifier == plugin {
                problems.report(
                    .role,
                    at: field,
                    "is the plugin itself; a plugin cannot be its own extension",
                    remedy: "remove it"
                )
            }
            if !seen.insert(identifier).inserted {
                noteRepeated(field)
                return nil
            }
            return identifier
        }
    }

    func noteRepeated(_ field: Field<String>) {
        problems.note(.repeatedValue, at: field, "lists \(field.value.inQuotes) a second time", remedy: "remove it")
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// Parses the values of query parameters. A refusal names the parameter and its rule. A missing parameter gives nil.
enum QueryValue {
    static func whole<Value: FixedWidthInteger>(
        _ text: String?,
        named name: String,
        in range: ClosedRange<Value>
    ) throws(RouteError) -> Value? {
        guard let text else { return nil }
        if let value = Value(text), range.contains(value) { return value }
        let bounds =
            range.upperBound == .max
            ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
        throw invalid(text, named: name, "write a whole number \(bounds)")
    }

    static func boolean(_ text: String?, named name: String) throws(RouteError) -> Bool? {
        guard let text else { return nil }
        if let value = Bool(text) { return value }
        throw invalid(text, named: name, "write true or false")
    }

    static func word<Value>(
        _ text: String?,
        named name: String,
        among values: [Value],
        _ word: (Value) -> String
    ) throws(RouteError) -> Value? {
        guard let text else { return nil }
        if let value = values.first(where: { word($0) == text }) { return value }
        throw invalid(text, named: name, NearestWord.remedy(for: text, among: values.map(word)))
    }

    /// The values of a comma-separated list. Throws a refusal for an item that is not among `values`; nil for a missing
    /// parameter.
    static func words<Value>(
        _ text: String?,
        named name: String,
        among values: [Value],
        _ word: (Value) -> String
    ) throws(RouteError) -> [Value]? {
        guard let text else { return nil }
        var found: [Value] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let value = try self.word(String(part), named: name, among: values, word) else { continue }
            found.append(value)
        }
        return found
    }

    static func cursor<Value>(
        _ text: String?,
        named name: String = "after",
        _ value: (String) -> Value?
    ) throws(RouteError) -> Value? {
        guard let text else { return nil }
        if let value = value(text) { return value }
        throw invalid(
            text,
            named: name,
            "send the value of \"next\" of the previous page, or leave \"\(name)\" out for the first page"
        )
    }

    static func path(_ text: String?, named name: String) throws(RouteError) -> String? {
        guard let text else { return nil }
        if text.hasPrefix("/") { return text }
        throw invalid(text, named: name, "write an absolute path")
    }

    static func plugin(_ text: String?, named name: String) throws(RouteError) -> PluginIdentifier? {
        guard let text else { return nil }
        return try PluginIdentifier(validating: text, field: name)
    }

    /// The plugins of a comma-separated list, each once; empty for a missing parameter.
    static func plugins(_ text: String?, named name: String, atMost most: Int) throws(RouteError) -> [PluginIdentifier]
    {
        guard let text else { return [] }
        var plugins: [PluginIdentifier] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let plugin = try PluginIdentifier(validating: String(part), field: name)
            if !plugins.contains(plugin) { plugins.append(plugin) }
            guard plugins.count <= most else {
                let problem = "query \(name) has more than \(most) plugins"
                throw RouteError(.queryInvalid, field: name, problem, remedy: "send several requests, or leave it out")
            }
        }
        return plugins
    }

    static func session(_ text: String?, named name: String) throws(RouteError) -> TransferSession? {
        guard let text else { return nil }
        if let session = TransferSession(text) { return session }
        throw invalid(text, named: name, "write \(TransferSession.rule)")
    }

    static func task(_ text: String?, named name: String) throws(RouteError) -> TaskIdentifier? {
        guard let text else { return nil }
        return try TaskIdentifier(validating: text, field: name)
    }

    static func since(_ text: String?, named name: String, now: WallTime) throws(RouteError) -> WallTime? {
        guard let text else { return nil }
        if let instant = SinceTime.instant(text, now: now) { return instant }
        throw invalid(text, named: name, SinceTime.remedy(for: text))
    }

    private static func invalid(_ text: String, named name: String, _ rule: String) -> RouteError {
        RouteError(.queryInvalid, field: name, "query \(name)=\(text) is not allowed", remedy: rule)
    }
}

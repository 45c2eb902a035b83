// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The body of `POST /v1/forecast`: the end of the forecast, the listed part, and the differences from the present.
package struct ForecastOrder: CallBody, Hashable {
    package static let fields: [BodyField] = [
        .optional("until", .time), .optional("plugin", .text), .optional("limit", .whole),
        .optional("conditions", .object(ConditionsSimulation.fields)),
        .optional("policies", .object(ForecastPolicies.fields)),
    ]

    /// The latest end, counted from now.
    package static let furthest: Duration = .seconds(8 * 24 * 60 * 60)
    /// The end without `until`, counted from now.
    package static let standard: Duration = .seconds(24 * 60 * 60)

    /// The end of the forecast; nil for `standard`.
    package let until: CalendarTime?
    package let plugin: String?
    package let limit: Int?
    /// Overrides of conditions; nil for the present ones.
    package let conditions: ConditionsSimulation?
    package let policies: ForecastPolicies?

    package init(
        until: WallTime? = nil,
        plugin: PluginIdentifier? = nil,
        limit: Int? = nil,
        conditions: ConditionsSimulation? = nil,
        policies: ForecastPolicies? = nil
    ) {
        self.until = until.map { CalendarTime(Timestamp($0)) }
        self.plugin = plugin?.text
        self.limit = limit
        self.conditions = conditions
        self.policies = policies
    }

    /// The order with checked values.
    package struct Checked: Hashable, Sendable {
        package let until: WallTime
        package let plugin: PluginIdentifier?
        package let limit: Int
        package let conditions: ConditionsSimulation?
        package let policies: ForecastPolicies
    }

    package func validated(at now: WallTime) throws(RouteError) -> Checked {
        let plugin: PluginIdentifier? =
            if let name = self.plugin { try PluginIdentifier(validating: name, field: "plugin") } else { nil }
        let limit = limit ?? PageLimit.standard
        guard PageLimit.range.contains(limit) else {
            throw .outside(PageLimit.range, field: "limit", Int64(limit))
        }
        let policies = policies ?? ForecastPolicies()
        try policies.check(in: "policies")
        return Checked(
            until: try end(after: now),
            plugin: plugin,
            limit: limit,
            conditions: try simulation(),
            policies: policies
        )
    }

    private func simulation() throws(RouteError) -> ConditionsSimulation? {
        guard let conditions else { return nil }
        if conditions.scripts.isEmpty, conditions.lockedContainers.isEmpty {
            throw RouteError(
                .conditionMissing,
                field: "conditions",
                "field \"conditions\" names no condition and no container",
                remedy: "name a condition, or leave the field out"
            )
        }
        do throws(RouteError) { return try conditions.validated() } catch { throw error.within("conditions") }
    }

    private func end(after now: WallTime) throws(RouteError) -> WallTime {
        guard let until else { return now + Self.standard }
        if until.time.wall > now, until.time.wall <= now + Self.furthest { return until.time.wall }
        throw RouteError(
            .timeInvalid,
            field: "until",
            "field \"until\" is \(until), which is not within the next \(Self.furthest.humanReadable)",
            remedy: "write a later time, at most \(Self.furthest.humanReadable) ahead, or leave it out"
        )
    }
}

extension RouteError {
    /// The refusal of a number outside of its range.
    static func outside<Number: BinaryInteger>(_ range: ClosedRange<Number>, field: String, _ value: Int64) -> Self {
        let (least, most) = (range.lowerBound, range.upperBound)
        return Self(
            .numberInvalid,
            field: field,
            "field \"\(field)\" is \(value), which is not from \(least) to \(most)",
            remedy: "write a whole number from \(least) to \(most)"
        )
    }
}

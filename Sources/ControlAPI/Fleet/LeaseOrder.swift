// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The body of `PUT /v1/leases/{name}`, by which a feeder makes or renews a lease.
package struct LeaseOrder: CallBody, Hashable {
    package static let fields: [BodyField] = [.required("trusted_for", .number), .optional("acknowledged", .whole)]

    /// The longest trust, in seconds: a day.
    package static let longest: Double = 86_400

    /// Seconds from now for which the lease is trusted; 0 ends the trust.
    package let trustedFor: Double
    /// The number of the last journal entry that the feeder has reported; nil to keep the recorded number.
    package let acknowledged: Int64?

    package init(trustedFor: Double, acknowledged: Int64? = nil) {
        (self.trustedFor, self.acknowledged) = (trustedFor, acknowledged)
    }

    private enum CodingKeys: String, CodingKey {
        case acknowledged
        case trustedFor = "trusted_for"
    }

    /// The checked time of trust. Throws a refusal for a time or a number out of its range.
    package func validated() throws(RouteError) -> Duration {
        guard trustedFor >= 0, trustedFor <= Self.longest else {
            throw RouteError(
                .numberInvalid,
                field: "trusted_for",
                "field \"trusted_for\" is \(trustedFor); 0 to \(Int(Self.longest)) seconds are allowed",
                remedy: "write the seconds until the end of the trust, as a lease is a matter of minutes"
            )
        }
        if let acknowledged, acknowledged < 0 {
            throw RouteError(
                .numberInvalid,
                field: "acknowledged",
                "field \"acknowledged\" is \(acknowledged), which is no number of a journal entry",
                remedy: "write the number of the last reported entry, or 0 for none"
            )
        }
        return .nanoseconds(Int64(trustedFor * 1e9))
    }
}

/// The checked name of a lease, in a path or a body.
package enum LeaseName {
    /// Throws a refusal for an invalid name.
    package static func validated(_ text: String, field: String = "name") throws(RouteError) -> String {
        guard let flaw = FleetNameRule.flaw(in: text) else { return text }
        let parts = flaw.split(separator: "; ", maxSplits: 1).map(String.init)
        throw RouteError(
            .identifierInvalid,
            field: field,
            "\(field) \"\(text)\" of a lease \(parts.first ?? flaw)",
            remedy: parts.count > 1 ? parts[1] : nil
        )
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The body of `PUT /v1/leases/{name}`, by which a feeder makes or renews a lease, with one of two times of trust.
package struct LeaseOrder: CallBody, Hashable {
    package static let fields: [BodyField] = [
        .optional("trusted_for", .number), .optional("trusted_until_boot_ns", .whole),
        .optional("acknowledged", .whole),
    ]

    /// The longest trust, in seconds.
    private static let longest = Double(TrustSpan.longest.components.seconds)

    /// Seconds from the renewal for which the lease is trusted; 0 ends the trust.
    package let trustedFor: Double?
    /// The end of the trust in nanoseconds of the boot clock; a past time ends the trust.
    package let trustedUntil: Int64?
    /// The number of the last journal entry that the feeder has reported; nil to keep the recorded number.
    package let acknowledged: Int64?

    package init(trustedUntil end: BootTime, acknowledged: Int64? = nil) {
        (trustedFor, trustedUntil) = (nil, max(0, end.nanoseconds))
        self.acknowledged = acknowledged
    }

    private enum CodingKeys: String, CodingKey {
        case acknowledged
        case trustedFor = "trusted_for"
        case trustedUntil = "trusted_until_boot_ns"
    }

    /// The checked time of trust. Throws a refusal for a time or a number out of its range, and unless the body has one
    /// time of trust.
    package func validated() throws(RouteError) -> TrustSpan {
        if let acknowledged, acknowledged < 0 {
            throw RouteError(
                .numberInvalid,
                field: "acknowledged",
                "field \"acknowledged\" is \(acknowledged), which is no number of a journal entry",
                remedy: "write the number of the last reported entry, or 0 for none"
            )
        }
        switch (trustedFor, trustedUntil) {
        case (let seconds?, nil): return .lasting(try Self.duration(seconds))
        case (nil, let end?): return .until(try Self.time(end))
        case (nil, nil):
            throw RouteError(
                .fieldMissing,
                field: "trusted_until_boot_ns",
                "field \"trusted_until_boot_ns\" is missing, and \"trusted_for\" is missing too",
                remedy: "add one of the fields: write a whole number of nanoseconds, or a number of seconds"
            )
        case (_?, _?):
            throw RouteError(
                .numberInvalid,
                field: "trusted_for",
                "fields \"trusted_for\" and \"trusted_until_boot_ns\" both have a time of trust",
                remedy: "keep one of them"
            )
        }
    }

    private static func duration(_ seconds: Double) throws(RouteError) -> Duration {
        guard seconds >= 0, seconds <= longest else {
            throw RouteError(
                .numberInvalid,
                field: "trusted_for",
                "field \"trusted_for\" is \(seconds); 0 to \(Int(longest)) seconds are allowed",
                remedy: "write the seconds until the end of the trust, as a lease is a matter of minutes"
            )
        }
        return .nanoseconds(Int64(seconds * 1e9))
    }

    private static func time(_ nanoseconds: Int64) throws(RouteError) -> BootTime {
        guard nanoseconds >= 0 else {
            throw RouteError(
                .numberInvalid,
                field: "trusted_until_boot_ns",
                "field \"trusted_until_boot_ns\" is \(nanoseconds); a time of the boot clock is at least 0",
                remedy: "write nanoseconds of CLOCK_BOOTTIME"
            )
        }
        return BootTime(nanoseconds: nanoseconds)
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

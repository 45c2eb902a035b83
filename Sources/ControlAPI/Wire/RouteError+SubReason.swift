// Part of bgtask, under the Apache License 2.0; see LICENSE.

extension RouteError {
    /// The precise cause of a refusal by the API itself. Refusals by the scheduler have their own sub-reasons. The raw
    /// values are for programs.
    package enum SubReason: String, Hashable, Sendable, CaseIterable {
        case bodyMissing = "body-missing"
        case bodyUnexpected = "body-unexpected"
        case bodyTooLarge = "body-too-large"
        case bodyNotJSON = "body-not-json"
        case bodyNotObject = "body-not-object"
        case fieldUnknown = "field-unknown"
        case fieldRepeated = "field-repeated"
        case fieldMissing = "field-missing"
        case fieldNull = "field-null"
        case fieldType = "field-type"
        case fieldNotOfKind = "field-not-of-kind"
        case textTooLong = "text-too-long"
        case wordUnknown = "word-unknown"
        case identifierInvalid = "identifier-invalid"
        case identifierMissing = "identifier-missing"
        case kindUnknown = "kind-unknown"
        case timeInvalid = "time-invalid"
        case base64Invalid = "base64-invalid"
        case payloadTooLarge = "payload-too-large"
        case conditionMissing = "condition-missing"
        case numberInvalid = "number-invalid"
        case requestCount = "request-count"
        case queryUnknown = "query-unknown"
        case queryRepeated = "query-repeated"
        case queryInvalid = "query-invalid"

        case foreignUser = "foreign-user"
        case roleTooLow = "role-too-low"
        case callerInLaunch = "caller-in-launch"
        case callerUnknown = "caller-unknown"
        case leaseOfAnotherUser = "lease-of-another-user"

        case noSuchMethod = "no-such-method"

        case noSuchRoute = "no-such-route"
        case noSuchPlugin = "no-such-plugin"
        case noSuchTask = "no-such-task"
        case noSuchLaunch = "no-such-launch"
        case noSuchTransfer = "no-such-transfer"
        case noSuchCursor = "no-such-cursor"
        case noSuchLease = "no-such-lease"
        case pushTokenUnknown = "push-token-unknown"

        case notLaunching = "not-launching"
        case notRunning = "not-running"
        case notRetryable = "not-retryable"
        case notPurged = "not-purged"
        case cursorInUse = "cursor-in-use"
        case leaseNotTrusted = "lease-not-trusted"
        case configurationInvalid = "configuration-invalid"
        case pushTokenOfAnotherPlugin = "push-token-of-another-plugin"

        case pushTokenEnded = "push-token-ended"

        case notRecorded = "not-recorded"
        case containerKept = "container-kept"
        case ledgerUnreadable = "ledger-unreadable"
        case unexpected

        case tooManyConnections = "too-many-connections"
        case tooManyBatches = "too-many-batches"
        case tooManyForecasts = "too-many-forecasts"
        case tooManyLeases = "too-many-leases"
        case workNotLoaded = "work-not-loaded"

        package var code: Code {
            switch self {
            case .bodyMissing, .bodyUnexpected, .bodyTooLarge, .bodyNotJSON, .bodyNotObject, .fieldUnknown,
                .fieldRepeated, .fieldMissing, .fieldNull, .fieldType, .fieldNotOfKind, .textTooLong, .wordUnknown,
                .identifierInvalid, .identifierMissing, .kindUnknown, .timeInvalid, .base64Invalid, .payloadTooLarge,
                .conditionMissing, .numberInvalid, .requestCount, .queryUnknown, .queryRepeated, .queryInvalid:
                .malformed
            case .foreignUser, .roleTooLow, .callerInLaunch, .callerUnknown, .leaseOfAnotherUser: .notAdmitted
            case .noSuchMethod: .methodNotAllowed
            case .noSuchRoute, .noSuchPlugin, .noSuchTask, .noSuchLaunch, .noSuchTransfer, .noSuchCursor,
                .pushTokenUnknown, .noSuchLease:
                .notFound
            case .notLaunching, .notRunning, .notRetryable, .notPurged, .cursorInUse, .configurationInvalid,
                .pushTokenOfAnotherPlugin, .leaseNotTrusted:
                .conflict
            case .pushTokenEnded: .gone
            case .notRecorded, .containerKept, .ledgerUnreadable, .unexpected: .hostFailed
            case .tooManyConnections, .tooManyBatches, .tooManyForecasts, .tooManyLeases, .workNotLoaded: .busy
            }
        }
    }

    /// The category of a refusal by the API. Refusals by the scheduler have the four codes of `BGTaskScheduler.Error`
    /// instead.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// The call violates the rules of the API.
        case malformed
        /// The calling user or process may not use this socket or this route.
        case notAdmitted = "not-admitted"
        case notFound = "not-found"
        /// The path exists, but not with the method of the call.
        case methodNotAllowed = "method-not-allowed"
        /// The call is valid, but not possible in the present state of the host.
        case conflict
        /// The thing existed and has ended for good.
        case gone
        /// The host failed to perform a valid call.
        case hostFailed = "host-failed"
        /// The host has no capacity for the call now.
        case busy

        package var status: Int {
            switch self {
            case .malformed: 400
            case .notAdmitted: 403
            case .notFound: 404
            case .methodNotAllowed: 405
            case .conflict: 409
            case .gone: 410
            case .hostFailed: 500
            case .busy: 503
            }
        }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import RunnerWire
import TaskModel

// Transfers with plain and with extreme fields: each direction, state, result and fault.
extension SampleMessages {
    static let session: TransferSession = {
        guard let session = TransferSession("photos") else { preconditionFailure("a sample session must be valid") }
        return session
    }()

    static let transfers = [
        TransferDescription(direction: .download, session: session, url: "https://example.com/a"),
        TransferDescription(
            direction: .download,
            session: session,
            label: "Ünïcode",
            url: "https://example.com/" + String(repeating: "a", count: 256),
            headers: [
                .init(name: "Accept", value: ""),
                .init(name: "Authorization", value: "Bearer ${token}", isSecret: true),
            ],
            size: .max,
            sha256: String(repeating: "0f", count: 32),
            isDiscretionary: true
        ),
        TransferDescription(
            direction: .upload,
            session: session,
            url: "http://example.com/b",
            method: "POST",
            file: "outbox/report.json"
        ),
    ]

    static let transferEnds =
        TransferEnd.Result.allCases.map { TransferEnd(result: $0, bytes: 0) }
        + TransferFault.allCases.map {
            TransferEnd(
                result: .fatal,
                fault: $0,
                httpStatus: 404,
                retryAfter: .seconds(86_400),
                bytes: .max,
                total: .max,
                sourceChanges: .max,
                restarts: 1,
                message: "Ünïcode"
            )
        }

    static let listedTransfers = TransferState.allCases.map { state in
        ListedTransfer(
            number: SubmissionNumber(rawValue: 9),
            direction: state == .paused ? .upload : .download,
            session: session,
            label: state.isEnded ? nil : "label",
            url: "https://example.com/a",
            state: state,
            fault: state == .failed ? .digestMismatch : nil,
            httpStatus: state.isEnded ? 200 : nil,
            bytes: 5,
            total: state.isEnded ? 5 : nil,
            file: state == .finished ? ".transfers/9" : nil
        )
    }
}

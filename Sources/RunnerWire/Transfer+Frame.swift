// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

extension FrameWriter {
    mutating func put(_ transfer: TransferDescription) {
        put(transfer.direction)
        put(text: transfer.session.text)
        put(transfer.label)
        put(text: transfer.url)
        put(transfer.method)
        put(list: transfer.headers) { frame, header in
            frame.put(text: header.name)
            frame.put(text: header.value)
            frame.put(header.isSecret)
        }
        put(transfer.file)
        put(optional: transfer.size)
        put(transfer.sha256)
        put(transfer.isDiscretionary)
    }

    mutating func put(_ end: TransferEnd) {
        put(end.result)
        put(end.fault?.rawValue ?? 0)
        put(optional: end.httpStatus.map { UInt64(clamping: $0) })
        put(optional: end.retryAfter.map { UInt64(clamping: $0.wholeNanoseconds) })
        put(end.bytes)
        put(optional: end.total)
        put(UInt64(clamping: end.sourceChanges))
        put(UInt64(clamping: end.restarts))
        put(text: end.message)
    }

    mutating func put(_ transfer: ListedTransfer) {
        put(transfer.number)
        put(transfer.direction)
        put(text: transfer.session.text)
        put(transfer.label)
        put(text: transfer.url)
        put(transfer.state)
        put(transfer.fault?.rawValue ?? 0)
        put(optional: transfer.httpStatus.map { UInt64(clamping: $0) })
        put(transfer.bytes)
        put(optional: transfer.total)
        put(transfer.file)
    }

    mutating func put(optional number: UInt64?) {
        put(number != nil)
        if let number { put(number) }
    }

    mutating func put(optional time: WallTime?) {
        put(time != nil)
        if let time { put(time.nanoseconds) }
    }
}

extension ListedTransfer {
    /// An upper limit of the size of the transfer in a frame, in bytes.
    var mostBytesInFrame: Int {
        let texts = [session.text, label, url, file].compactMap(\.self)
        // The fields that may be absent have up to 8 bytes each.
        return FrameReader.smallestListedTransfer + 4 * 8 + texts.reduce(0) { $0 + $1.utf8.count }
    }
}

extension [ListedTransfer] {
    /// The transfers that an answer to a plugin has, in the order of this list: all, or if these exceed the limit, as
    /// many as fit. Ended ones go first, so that the plugin can take their files and then list the others.
    package func fitting(inBytes limit: Int = HostMessage.frameLimit / 2) -> [ListedTransfer] {
        var left = limit
        var fitting: Set<SubmissionNumber> = []
        for transfer in filter(\.state.isEnded) + filter({ !$0.state.isEnded }) {
            left -= transfer.mostBytesInFrame
            if left < 0 { break }
            fitting.insert(transfer.number)
        }
        return filter { fitting.contains($0.number) }
    }
}

extension FrameReader {
    /// Smallest size of a listed transfer in a frame, in bytes.
    static let smallestListedTransfer = 8 + 4 + 4 + 1 + 4 + 4 + 4 + 1 + 8 + 1 + 1

    mutating func transfer() throws(WireError) -> TransferDescription {
        TransferDescription(
            direction: try value("transfer.direction"),
            session: try name("transfer.session", TransferSession.init),
            label: try optionalText("transfer.label"),
            url: try text("transfer.url"),
            method: try optionalText("transfer.method"),
            headers: try list("transfer.headers", minimumSize: 9) { fields throws(WireError) in
                TransferDescription.Header(
                    name: try fields.text("transfer.header.name"),
                    value: try fields.text("transfer.header.value"),
                    isSecret: try fields.flag("transfer.header.isSecret")
                )
            },
            file: try optionalText("transfer.file"),
            size: try optionalNumber("transfer.size"),
            sha256: try optionalText("transfer.sha256"),
            isDiscretionary: try flag("transfer.isDiscretionary")
        )
    }

    mutating func transferEnd() throws(WireError) -> TransferEnd {
        TransferEnd(
            result: try value("transferEnded.result"),
            fault: try fault("transferEnded.fault"),
            httpStatus: try optionalNumber("transferEnded.httpStatus").map { Int(clamping: $0) },
            retryAfter: try optionalNumber("transferEnded.retryAfter").map { .nanoseconds(Int64(clamping: $0)) },
            bytes: try integer("transferEnded.bytes"),
            total: try optionalNumber("transferEnded.total"),
            sourceChanges: Int(clamping: try integer("transferEnded.sourceChanges") as UInt64),
            restarts: Int(clamping: try integer("transferEnded.restarts") as UInt64),
            message: try text("transferEnded.message")
        )
    }

    mutating func listedTransfer() throws(WireError) -> ListedTransfer {
        ListedTransfer(
            number: try value("transfers.number"),
            direction: try value("transfers.direction"),
            session: try name("transfers.session", TransferSession.init),
            label: try optionalText("transfers.label"),
            url: try text("transfers.url"),
            state: try value("transfers.state"),
            fault: try fault("transfers.fault"),
            httpStatus: try optionalNumber("transfers.httpStatus").map { Int(clamping: $0) },
            bytes: try integer("transfers.bytes"),
            total: try optionalNumber("transfers.total"),
            file: try optionalText("transfers.file")
        )
    }

    mutating func optionalNumber(_ field: StaticString) throws(WireError) -> UInt64? {
        try flag(field) ? try integer(field) : nil
    }

    mutating func optionalTime(_ field: StaticString) throws(WireError) -> WallTime? {
        try flag(field) ? WallTime(nanoseconds: try integer(field)) : nil
    }

    /// The fault of a transfer; nil for 0.
    private mutating func fault(_ field: StaticString) throws(WireError) -> TransferFault? {
        let number: UInt32 = try integer(field)
        if number == 0 { return nil }
        guard let fault = TransferFault(rawValue: number) else {
            throw WireError(code: .unknownValue, message: "\(field): \(number) is unknown to this version")
        }
        return fault
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel
import TerminalText

extension TransferListReply: Presentable {
    func text(for reader: Reader) -> String {
        if transfers.isEmpty { return "" }
        var table = Table("TRANSFER", "PLUGIN", "SESSION", "KIND", "STATE", "PROGRESS", "BEGUN", "URL")
        for transfer in transfers {
            table.add(
                "\(transfer.transfer)",
                transfer.plugin,
                transfer.session,
                transfer.kind,
                transfer.stateText,
                transfer.progressText,
                transfer.begunAt.localText(for: reader),
                transfer.url
            )
        }
        return table.text(fitting: reader.width)
    }
}

extension TransferReply: Presentable {
    func text(for reader: Reader) -> String {
        var fields = FieldList()
        fields.add("transfer", "\(transfer)")
        fields.add("task", identifier)
        fields.add("plugin", plugin)
        fields.add("session", session)
        fields.add("label", label)
        fields.add(kind, url)
        fields.add("state", stateText)
        fields.add("progress", progressText)
        fields.add("status", httpStatus.map { "\($0)" })
        fields.add("message", message)
        fields.add("begun", begunAt.text(for: reader))
        fields.add("ended", endedAt?.text(for: reader))
        fields.add("file", file)
        return fields.text
    }

    /// The state, with the fault of the last try or of the end.
    fileprivate var stateText: String { fault.map { "\(state) (\($0))" } ?? state }

    /// The transferred bytes, as `40% of 1048576 bytes`, or without a known size as `419430 bytes`.
    fileprivate var progressText: String {
        guard let total, total > 0, bytes <= total else { return bytes == 1 ? "1 byte" : "\(bytes) bytes" }
        return "\(Int(Double(bytes) / Double(total) * 100))% of \(total) bytes"
    }
}

extension TransferPauseReply: Presentable {
    func text(for reader: Reader) -> String {
        "transfer \(transfer) \(isPaused ? "is paused until it is resumed" : "is resumed, and may run")\n"
    }
}

extension TransferCancellationReply: Presentable {
    func text(for reader: Reader) -> String {
        "transfer \(transfer) \(isCancelled ? "is cancelled" : "has already ended; nothing is cancelled")\n"
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI

extension TransferListReply: ListReply {
    static let nothingFound = "no transfer found"

    static let sortKeys: [SortKey<TransferReply>] = [
        SortKey("transfer") { $0.transfer }, SortKey("plugin") { $0.plugin }, SortKey("session") { $0.session },
        SortKey("state") { $0.state }, SortKey("bytes") { $0.bytes }, SortKey("begun") { $0.begunAt.wall },
        SortKey("ended") { $0.endedAt?.wall },
    ]

    static func name(of row: TransferReply) -> String { "\(row.transfer)" }

    var rows: [TransferReply] {
        get { transfers }
        set { transfers = newValue }
    }
}

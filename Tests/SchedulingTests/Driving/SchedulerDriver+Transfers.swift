// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel

extension PluginEntry {
    /// The sample plugin with a grant of the network and a secret setting.
    static func downloader(grants: Grants = Grants(network: true)) -> PluginEntry {
        .main(.app, permitted: [.exact(.clean)], secrets: ["token"], grants: grants)
    }
}

// Transfers: their beginning by plugins, and the messages of the transfer library.
extension SchedulerDriver {
    static let transferLibrary = LibraryFile(
        path: "/lib/libbgtask-transfer.so",
        digest: "transfer library",
        identity: FileIdentity(device: 1, inode: 9, size: 1, modified: 1, changed: 1)
    )

    /// A host with the transfer library.
    static func forTransfers(
        _ plugin: PluginEntry = .downloader(),
        configure: (inout SchedulingConfiguration) -> Void = { _ in }
    ) -> SchedulerDriver {
        let host = SchedulerDriver(plugin) {
            $0.transfers.library = transferLibrary
            configure(&$0)
        }
        host.finishStarting()
        host.forgetThePast()
        return host
    }

    @discardableResult
    func download(
        _ url: String = "https://example.com/a.bin",
        in session: String = "main",
        header: TransferDescription.Header? = nil,
        isDiscretionary: Bool = false,
        expiresAt: WallTime? = nil,
        by plugin: PluginIdentifier = .app,
        from plan: LaunchPlan? = nil
    ) -> Answer? {
        guard let session = TransferSession(session) else {
            complain("\(session) is no session")
            return nil
        }
        let description = TransferDescription(
            direction: .download,
            session: session,
            url: url,
            headers: header.map { [$0] } ?? [],
            isDiscretionary: isDiscretionary
        )
        let transfer = NewTransfer(description, expiresAt: expiresAt, plugin: plugin, launch: plan?.number)
        return ask { .transferBegun(transfer, reply: $0) }
    }

    /// Runs one transfer to its end, and handles the event about its session. Returns the transfer's number.
    @discardableResult
    func finishTransfer(_ direction: TransferDescription.Direction = .download) -> SubmissionNumber? {
        forgetThePast()
        let number = begin(direction)?.submission
        enterLibrary()
        endTry(.finished)
        exit(transferPlan)
        guard let plan = plans.last(where: { $0.lane == .event }) else {
            complain("the end of the session was not reported")
            return nil
        }
        enter(plan)
        completeEvent(in: plan)
        exit(plan)
        return number
    }

    /// Begins a transfer of the session `main`.
    func begin(_ direction: TransferDescription.Direction) -> Answer? {
        guard direction == .upload, let session = TransferSession("main") else { return download() }
        let url = "https://example.com/a"
        let upload = TransferDescription(direction: .upload, session: session, url: url, file: "a.bin")
        return ask { .transferBegun(NewTransfer(upload, plugin: .app, launch: nil), reply: $0) }
    }

    /// The plan of the newest launch of the transfer library.
    var transferPlan: LaunchPlan? { plans.last { $0.lane == .transfer } }

    func enterLibrary(_ plan: LaunchPlan? = nil) {
        guard let plan = plan ?? transferPlan else { return complain("no transfer was launched") }
        enter(plan, registering: [.transferHandler])
    }

    /// Reports the end of the first unfinished try of the newest launch, and completes its task.
    func endTry(
        _ result: TransferEnd.Result,
        _ fault: TransferFault? = nil,
        retryAfter: Duration? = nil,
        bytes: UInt64 = 10,
        at position: Int = 0,
        in plan: LaunchPlan? = nil
    ) {
        guard let plan = plan ?? transferPlan, plan.tasks.indices.contains(position) else {
            return complain("no transfer was launched")
        }
        let end = TransferEnd(result: result, fault: fault, retryAfter: retryAfter, bytes: bytes)
        send(.transferEnded(plan.number, plan.tasks[position].id, end))
        send(.completed(plan.number, plan.tasks[position].id, result == .finished ? .success : .failure))
    }

    /// The sessions of the waiting and running events about ended sessions.
    var endedSessions: [String] { ledger.events.compactMap { $0.session?.text } }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

extension LedgerChange {
    /// Description of the change for error messages.
    var operation: String {
        switch self {
        case .storeRequest(let request, _):
            "storing request \(request.number), \(request.request.identifier) of \(request.plugin)"
        case .removeRequest(let number): "removing request \(number)"
        case .storeEvent(let event, _): "storing event \(event.number), \(event.type.name) of \(event.plugin)"
        case .removeEvent(let number): "removing event \(number)"
        case .startLaunch(let plan): "starting launch \(plan.number) of \(plan.plugin.identifier)"
        case .startTask(let launch, let task):
            "starting the task of submission \(task.work.number), \(task.work.label), in launch \(launch)"
        case .moveLaunch(let launch, let lane): "moving launch \(launch) to the \(lane.name) lane"
        case .endTask(let launch, let submission): "ending the task of submission \(submission) in launch \(launch)"
        case .requeueTask(let launch, let work, _):
            "requeueing the task of submission \(work.number), \(work.label), of launch \(launch)"
        case .forbidRequeue(let launch, let submission):
            "recording that the task of submission \(submission) in launch \(launch) is not requeued"
        case .storeCursor(let change): "storing the cursor of \(change.identifier)"
        case .dropCursor(_, let identifier, _): "deleting the cursor of \(identifier)"
        case .restart(_, let identifier, let number):
            "deleting the cursor of \(identifier) for submission \(number), which begins from the start"
        case .setStandstills(_, let identifier, _, _): "counting the runs that did not move the cursor of \(identifier)"
        case .endLaunch(let number, _): "ending launch \(number)"
        case .journal(let entry): "journaling \(entry.event.name) of \(entry.plugin?.text ?? "the host")"
        case .recordWait(let key, _, _):
            "recording the waits of \(key.workClass.kind.name) work of \(key.plugin)"
        case .setDeferrals(let key, _):
            "storing the deferral periods of \(key.workClass.kind.name) work of \(key.plugin)"
        case .setFetch(let plugin, _): "setting the fetch interval of \(plugin)"
        case .recordOccurrence(let identifier, _): "recording a scheduled occurrence of \(identifier)"
        case .rememberPlugin(let plugin): "storing the record of plugin \(plugin.identifier)"
        case .forgetPlugin(let identifier): "deleting the record of plugin \(identifier)"
        case .setPause(let plugin, let pause): "\(pause == nil ? "deleting" : "storing") the pause of \(plugin)"
        case .countPushes(let plugin, _): "counting the pushes to \(plugin)"
        case .keepPushAnswer(let plugin, let push, _, _): "keeping the answer to push \(push.number) to \(plugin)"
        case .setUses(let plugin, _): "storing the uses of \(plugin)"
        case .changePushToken(let plugin, _, _): "changing the device token of \(plugin)"
        case .storeTransfer(let transfer): "storing transfer \(transfer.number) of \(transfer.plugin)"
        case .takeTransfer(let plugin, let number): "recording that \(plugin) took the file of transfer \(number)"
        case .dropTransfers(let plugin, let session, _):
            "deleting the ended transfers of session \(session) of \(plugin)"
        case .storeAlert(let alert): "storing alert \(alert.number) to \(alert.plugin)"
        case .showAlert(let number, _, _): "showing the notification of alert \(number)"
        case .showNotification(let notification):
            "showing the notification of alert \(notification.submission) to \(notification.plugin)"
        case .storeLease(let lease): "storing lease \(lease.name)"
        case .removeLease(let name): "deleting lease \(name)"
        case .raiseIncarnation(let incarnation): "beginning incarnation \(incarnation) of the ledger"
        }
    }
}

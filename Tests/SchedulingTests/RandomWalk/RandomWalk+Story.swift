// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel

// A description of the actions of a step, for a walk that is replayed.
extension RandomWalk {
    var story: [String] {
        host.actions.compactMap { action in
            switch action {
            case .commit(let ticket, let changes):
                "commit \(ticket.rawValue): " + changes.map(\.words).joined(separator: ", ")
            case .confineRunner(let launch, _, _): "confine the runner of launch \(launch)"
            case .sendPlan(let plan):
                "plan of launch \(plan.number) (\(plan.lane.name)): \(plan.tasks.map(\.work.label))"
            case .deliver(let launch, let task): "deliver \(task.work.label) to launch \(launch)"
            case .expire(let launch, let ids, let reason): "expire \(ids) of launch \(launch): \(reason.name)"
            case .yieldCursor(let launch, let id): "task \(id) of launch \(launch) yields its cursor"
            case .expireAssertions(let launch, let reason): "expire assertions of launch \(launch): \(reason.name)"
            case .stop(let launch): "stop launch \(launch)"
            case .kill(let launch): "kill launch \(launch)"
            case .takeRunner(let launch, let needed): "runner for launch \(launch) of \(needed.container)"
            case .dismissRunner(let launch): "dismiss the runner of launch \(launch)"
            case .answer(_, let answer): "answer \(answer)"
            case .load(let plugin): "load \(plugin)"
            case .setKillTime, .wake, .watch, .discardContainer, .sweepTransfers, .stopped: nil
            }
        }
    }
}

extension LedgerChange {
    fileprivate var words: String {
        switch self {
        case .storeRequest(let request, _): "store \(request.request.identifier) (\(request.number))"
        case .storeEvent(let event, _): "store \(event.type.name) (\(event.number))"
        case .removeRequest(let number), .removeEvent(let number): "remove \(number)"
        case .startLaunch(let plan): "start launch \(plan.number) \(plan.tasks.map(\.work.label))"
        case .startTask(let launch, let task): "start \(task.work.label) in launch \(launch)"
        case .moveLaunch(let launch, let lane): "move launch \(launch) to \(lane.name)"
        case .endTask(let launch, let number): "end \(number) of launch \(launch)"
        case .requeueTask(let launch, let work, _): "requeue \(work.label) (\(work.number)) of launch \(launch)"
        case .storeCursor(let change): "cursor of \(change.identifier)"
        case .dropCursor(_, let identifier, _): "no cursor of \(identifier)"
        case .restart(_, let identifier, let number): "\(identifier) (\(number)) begins from the start"
        case .setStandstills(_, let identifier, let count, _): "runs without movement of \(identifier): \(count)"
        case .forbidRequeue(_, let number): "forbid the requeue of \(number)"
        case .endLaunch(let launch, let end): "end launch \(launch) as \(end.outcome)"
        case .journal(let entry): "journal \(entry.event.name)"
        case .recordWait(let key, let reasons, _): "\(key.workClass.kind.name) of \(key.plugin) waits for \(reasons)"
        case .setDeferrals(let key, let periods): "defer \(key.workClass.kind.name) of \(key.plugin): \(periods.count)"
        case .setFetch(let plugin, _): "fetch of \(plugin)"
        case .recordOccurrence(let identifier, _): "occurrence of \(identifier)"
        case .rememberPlugin(let plugin): "remember \(plugin.identifier)"
        case .forgetPlugin(let plugin): "forget \(plugin)"
        case .changePushToken(let plugin, _, _): "token of \(plugin)"
        case .setPause(let plugin, let pause): "\(pause == nil ? "resume" : "pause") \(plugin)"
        case .countPushes(let plugin, let sum): "count \(sum.accepted) pushes to \(plugin)"
        case .keepPushAnswer(let plugin, let push, _, _): "keep the answer to push \(push.number) to \(plugin)"
        case .setUses(let plugin, _): "uses of \(plugin)"
        case .storeTransfer(let transfer): "transfer \(transfer.number)"
        case .takeTransfer(_, let number): "take transfer \(number)"
        case .dropTransfers(_, let session, _): "drop the transfers of \(session)"
        case .storeAlert(let alert): "store alert \(alert.number) to \(alert.plugin)"
        case .showAlert(let number, let content, _): "show \(content == nil ? "the original" : "a change") of \(number)"
        case .showNotification(let notification): "show \(notification.submission)"
        case .storeLease(let lease): "store lease \(lease.name)"
        case .removeLease(let name): "remove lease \(name)"
        case .raiseIncarnation(let incarnation): "begin incarnation \(incarnation)"
        }
    }
}

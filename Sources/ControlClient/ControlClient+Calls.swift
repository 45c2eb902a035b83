// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import ControlAPI
package import TaskModel

/// One function for each route with a single JSON answer, named after the route.
extension ControlClient {
    package func host() async throws(ControlError) -> HostStatusReply { try await ask(.hostStatus) }

    package func reload() async throws(ControlError) -> HostReloadReply { try await ask(.hostReload) }

    /// Lets the host record a complete backup in its journal.
    package func record(_ backup: BackupReport) async throws(ControlError) -> BackupReportReply {
        try await send(backup, to: .backupReport)
    }

    package func plugin(_ identifier: PluginIdentifier) async throws(ControlError) -> PluginReply {
        try await ask(.pluginShow, identifier.text)
    }

    package func purge(_ plugin: PluginIdentifier) async throws(ControlError) -> PluginPurgeReply {
        try await ask(.pluginPurge, plugin.text)
    }

    package func trigger(
        _ plugin: PluginIdentifier,
        _ trigger: PluginTrigger
    ) async throws(ControlError) -> PluginTriggerReply {
        try await send(trigger, to: .pluginTrigger, plugin.text)
    }

    package func push(
        to plugin: PluginIdentifier,
        _ push: PluginPush
    ) async throws(ControlError) -> PluginPushReply {
        try await send(push, to: .pluginPush, plugin.text)
    }

    /// The device token of a plugin, which is issued if the plugin has none.
    package func pushToken(
        of plugin: PluginIdentifier,
        rotating: Bool = false
    ) async throws(ControlError) -> PushTokenReply {
        try await send(PushTokenOrder(rotating: rotating), to: .pushTokenIssue, plugin.text)
    }

    package func revokePushToken(
        of plugin: PluginIdentifier
    ) async throws(ControlError) -> PushTokenRevocationReply {
        try await ask(.pushTokenRevoke, plugin.text)
    }

    package func check(_ token: PushTokenCheck) async throws(ControlError) -> PushTokenCheckReply {
        try await send(token, to: .pushTokenCheck)
    }

    package func pause(
        _ plugin: PluginIdentifier,
        _ order: PluginPauseOrder
    ) async throws(ControlError) -> PluginPauseReply {
        try await send(order, to: .pluginPause, plugin.text)
    }

    package func resume(_ plugin: PluginIdentifier) async throws(ControlError) -> PluginResumeReply {
        try await ask(.pluginResume, plugin.text)
    }

    package func submit(_ submission: TaskSubmission) async throws(ControlError) -> TaskSubmissionReply {
        try await send(submission, to: .taskSubmit)
    }

    /// Checks a request by the rules of a submission. The host stores nothing.
    package func check(_ submission: TaskSubmission) async throws(ControlError) -> TaskDryRunReply {
        try await send(submission, to: .taskSubmit, query: TaskSubmission.dryRunItems)
    }

    /// Submits the requests of a batch. Throws when the host refuses the whole batch.
    package func submit(_ batch: TaskBatchText) async throws(ControlError) -> TaskBatchReply {
        try await send(json: batch.body, to: .taskSubmitBatch, within: 4)
    }

    package func cancel(_ task: TaskIdentifier) async throws(ControlError) -> TaskCancellationReply {
        try await ask(.taskCancel, task.text)
    }

    package func stop(_ task: TaskIdentifier) async throws(ControlError) -> TaskStopReply {
        try await ask(.taskStop, task.text)
    }

    /// Submits the last request of a task again.
    ///
    /// - Parameter subject: the identifier of the task, or the number of the request.
    package func retry(_ subject: String) async throws(ControlError) -> TaskSubmissionReply {
        try await ask(.taskRetry, subject)
    }

    package func cursor(of task: TaskIdentifier) async throws(ControlError) -> TaskCursorReply {
        try await ask(.taskCursor, task.text)
    }

    package func clearCursor(of task: TaskIdentifier) async throws(ControlError) -> TaskCursorClearReply {
        try await ask(.taskCursorClear, task.text)
    }

    package func why(_ task: TaskIdentifier) async throws(ControlError) -> TaskWhyReply {
        try await ask(.taskWhy, task.text)
    }

    package func launch(_ number: LaunchNumber) async throws(ControlError) -> LaunchReply {
        try await ask(.launchShow, number.description)
    }

    package func stop(_ launch: LaunchNumber) async throws(ControlError) -> LaunchStopReply {
        try await ask(.launchStop, launch.description)
    }

    package func transfer(_ number: SubmissionNumber) async throws(ControlError) -> TransferReply {
        try await ask(.transferShow, number.description)
    }

    package func pause(_ transfer: SubmissionNumber) async throws(ControlError) -> TransferPauseReply {
        try await ask(.transferPause, transfer.description)
    }

    package func resume(_ transfer: SubmissionNumber) async throws(ControlError) -> TransferPauseReply {
        try await ask(.transferResume, transfer.description)
    }

    package func cancel(_ transfer: SubmissionNumber) async throws(ControlError) -> TransferCancellationReply {
        try await ask(.transferCancel, transfer.description)
    }

    package func stats(_ query: StatsQuery) async throws(ControlError) -> StatsReply {
        try await ask(.stats, query: query.items)
    }

    package func run(_ tasks: [TaskIdentifier]) async throws(ControlError) -> RunReply {
        try await send(RunOrder(identifiers: tasks.map(\.text)), to: .run)
    }

    package func simulateExpiration(
        of task: TaskIdentifier
    ) async throws(ControlError) -> ExpirationSimulationReply {
        try await send(ExpirationSimulation(identifier: task.text), to: .simulateExpiration)
    }

    package func simulateConditions(
        _ simulation: ConditionsSimulation
    ) async throws(ControlError) -> ConditionsReply {
        try await send(simulation, to: .simulateConditions)
    }

    package func forecast(_ order: ForecastOrder) async throws(ControlError) -> ForecastReply {
        try await send(order, to: .forecast)
    }
}

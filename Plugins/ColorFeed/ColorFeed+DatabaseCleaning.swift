// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks

extension ColorFeed {
    /// Deletes the colours of old entries; the handler of the processing task.
    func handleDatabaseCleaning(task: BGTask) {
        scheduleDatabaseCleaning()
        let cleaning = DatabaseCleaning(olderThan: Settings.oldestToKeep)
        task.expirationHandler = { cleaning.cancel() }
        cleaning.completionBlock = { task.setTaskCompleted(success: cleaning.isDone) }
        operationQueue.addOperation(cleaning)
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks

/// A request for a short task that refreshes the plugin's content. The manifest needs the background mode `fetch`.
open class BGAppRefreshTaskRequest: BGTaskRequest {
    /// Creates a request for the task with that identifier.
    public init(identifier: String) { super.init(identifier: identifier) }

    private override init(identifier: String, terms: Terms) { super.init(identifier: identifier, terms: terms) }

    override func duplicate() -> BGTaskRequest {
        BGAppRefreshTaskRequest(identifier: identifier, terms: currentTerms)
    }

    override func fill(_ request: inout bgt_request) { request.kind = BGT_KIND_REFRESH }
}

extension BGAppRefreshTaskRequest: @unchecked Sendable {}

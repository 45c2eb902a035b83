// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import ControlClient

/// Answers the requests of browsers: with a file, with the facts of the session, or with the answer of the host.
package struct PageAnswerer: Sendable {
    private let access: PageAccess
    private let session: PageSession
    private let client: ControlClient
    private let remedy: @Sendable (ControlError) -> String

    /// - Parameter remedy: returns the remedy for a host that does not answer; empty without one.
    package init(
        access: PageAccess,
        session: PageSession,
        client: ControlClient,
        remedy: @escaping @Sendable (ControlError) -> String
    ) {
        self.access = access
        self.session = session
        self.client = client
        self.remedy = remedy
    }

    /// The reason to refuse a request by its head; nil for a permitted one.
    func refusal(of request: PageRequest, port: Int) -> PageRefusal? { access.refusal(of: request, port: port) }

    /// The answer to a permitted request.
    func answer(_ request: PageRequest) async -> PageAnswer {
        if let file = PageFile.at(request.path) { return PageAnswer(file) }
        if request.path == PageSession.path { return PageAnswer(200, session) }
        do throws(ControlError) {
            return .ofHost(try await client.forward(request.method, request.target, body: request.body))
        } catch {
            return PageAnswer(502, error.description, remedy(error))
        }
    }
}

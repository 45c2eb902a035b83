// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI

/// A reason to refuse a request to the page.
enum PageRefusal: Hashable, Sendable {
    case foreignHost
    case crossSite
    case noToken
    case noRoute
    case wrongMethod(String, path: String, allowed: [Route.Method])
    case readOnly
    case notJSON
    case tooLarge
    case tooManyConnections

    var status: Int {
        switch self {
        case .foreignHost: 421
        case .crossSite, .readOnly: 403
        case .noToken: 401
        case .noRoute: 404
        case .wrongMethod: 405
        case .notJSON: 415
        case .tooLarge: 413
        case .tooManyConnections: 503
        }
    }

    var message: String {
        switch self {
        case .foreignHost: "the field Host names neither 127.0.0.1 nor localhost with the port of this server"
        case .crossSite: "the field Sec-Fetch-Site is neither same-origin nor none: the call is not one of this page"
        case .noToken: "the token of this session is missing or wrong"
        case .noRoute: "the page has no such file, and the control API no such route"
        case .wrongMethod(let method, let path, _): "the method \(method) is not allowed for \(path)"
        case .readOnly: "the page is read-only"
        case .notJSON: "the content type of a body has to be application/json"
        case .tooLarge: "the body is larger than the route accepts"
        case .tooManyConnections: "the page has its maximum of \(PageServer.connections) connections"
        }
    }

    var remedy: String? {
        switch self {
        case .noToken: "open the page with the file that bgtask page has named on the terminal"
        case .readOnly: "use the command on a terminal, or start bgtask page without --read-only"
        case .crossSite: "programs call the control socket of the host instead of the page"
        case .tooManyConnections: "close tabs of the page"
        case .wrongMethod: allowed.map { "use \($0)" }
        case .foreignHost, .noRoute, .notJSON, .tooLarge: nil
        }
    }

    /// The methods of the path, for the field `Allow`; nil for another refusal.
    var allowed: String? {
        guard case .wrongMethod(_, _, let methods) = self else { return nil }
        return methods.map(\.rawValue).joined(separator: ", ")
    }
}

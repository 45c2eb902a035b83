// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import NIOHTTP1
import Testing

@testable import HostPage

@Suite("The page serves only requests of its own scripts with the token of the session")
struct PageAccessTests {
    private static let token = PageAccess.newToken()
    private static let port = 4000
    private static let fields = [
        "host": "127.0.0.1:4000", "sec-fetch-site": "same-origin", "authorization": "Bearer \(token)",
    ]

    private func refusal(
        _ method: String,
        _ target: String,
        changing changes: [String: String?] = [:],
        isReadOnly: Bool = false
    ) -> PageRefusal? {
        let fields = Self.fields.merging(changes.compactMapValues { $0 }) { $1 }
            .filter { changes[$0.key] != .some(nil) }
        let pairs = fields.map { (name: $0.key, value: $0.value) }
        let access = PageAccess(token: Self.token, isReadOnly: isReadOnly)
        return access.refusal(of: PageRequest(method: method, target: target, fields: pairs), port: Self.port)
    }

    @Test func `the page permits its own calls with the token`() {
        #expect(refusal("GET", "/v1/tasks?limit=1") == nil)
        #expect(refusal("POST", "/v1/tasks/a.b/stop") == nil)
        #expect(refusal("GET", "/v1/host", changing: ["host": "localhost:4000", "sec-fetch-site": "none"]) == nil)
    }

    @Test(arguments: [
        "attacker.example:4000", "127.0.0.1", "127.0.0.1:4001", "127.0.0.1:4000.attacker.example", "[::1]:4000",
    ])
    func `a request with a foreign host name is refused, even for a file`(host: String) {
        #expect(refusal("GET", "/", changing: ["host": host]) == .foreignHost)
        #expect(refusal("GET", "/v1/host", changing: ["host": host]) == .foreignHost)
    }

    @Test(arguments: ["cross-site", "same-site", "", nil] as [String?])
    func `a call that no script of the page makes is refused`(site: String?) {
        #expect(refusal("GET", "/v1/host", changing: ["sec-fetch-site": site]) == .crossSite)
    }

    @Test(arguments: ["cross-site", "same-site", "", nil] as [String?])
    func `a file without data is served to every site, also with a query`(site: String?) {
        #expect(refusal("GET", "/main.js", changing: ["sec-fetch-site": site]) == nil)
        #expect(refusal("GET", "/main.js?version=1", changing: ["sec-fetch-site": site]) == nil)
    }

    @Test(arguments: ["HEAD", "OPTIONS", "POST"])
    func `a file is served only for GET`(method: String) {
        #expect(refusal(method, "/main.js") == .wrongMethod(method, path: "/main.js", allowed: [.get]))
        #expect(refusal(method, "/session") == .wrongMethod(method, path: "/session", allowed: [.get]))
    }

    @Test(arguments: [
        ("HEAD", "/v1/host", "GET"), ("PUT", "/v1/tasks?limit=1", "GET, POST"), ("GET", "/v1/run", "POST"),
    ])
    func `a method that a path does not have is refused with 405 and the permitted ones`(
        method: String,
        path: String,
        allowed: String
    ) throws {
        let found = try #require(refusal(method, path))
        let head = PageAnswer(found).head
        #expect(head.status.code == 405 && head.headers["allow"] == [allowed] && found.remedy == "use \(allowed)")
        #expect(PageAnswer(.noRoute).head.headers["allow"].isEmpty)
    }

    @Test func `the policy for content permits no foreign code, and no text as markup or code`() {
        let policy = PageAnswer(.noRoute).head.headers["content-security-policy"].first ?? ""
        let rules = policy.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        for rule in [
            "default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        ] {
            #expect(rules.contains(rule), "\(policy)")
        }
    }

    @Test(arguments: ["host", "authorization", "sec-fetch-site"])
    func `a repeated field permits nothing`(name: String) throws {
        let value = try #require(Self.fields[name])
        let pairs = Self.fields.map { (name: $0.key, value: $0.value) } + [(name: name, value: value)]
        let access = PageAccess(token: Self.token, isReadOnly: false)
        let request = PageRequest(method: "GET", target: "/v1/host", fields: pairs)
        #expect(access.refusal(of: request, port: Self.port) != nil)
    }

    @Test(arguments: ["Bearer ", "Bearer 0", "Basic \(token)", token, nil] as [String?])
    func `a call without the token is refused`(field: String?) {
        #expect(refusal("GET", "/v1/host", changing: ["authorization": field]) == .noToken)
        #expect(refusal("GET", "/session", changing: ["authorization": field]) == .noToken)
    }

    @Test func `a read-only page refuses every call that changes something`() {
        #expect(refusal("POST", "/v1/forecast", isReadOnly: true) == nil)
        #expect(refusal("POST", "/v1/tasks/a.b/stop", isReadOnly: true) == .readOnly)
        #expect(refusal("DELETE", "/v1/tasks/a.b", isReadOnly: true) == .readOnly)
        #expect(refusal("GET", "/v1/tasks", isReadOnly: true) == nil)
    }

    @Test(arguments: ["/v1/nowhere", "*v1/host", "/v2/host", "/secret", "/../main.js", "/Resources/main.js"])
    func `a path that is neither a file of the page nor a route is refused`(path: String) {
        #expect(refusal("GET", path) == .noRoute)
    }

    @Test func `a body needs the content type of JSON`() {
        for body in [["content-length": "2"], ["transfer-encoding": "chunked"]] {
            #expect(refusal("POST", "/v1/tasks", changing: body) == .notJSON)
            let typed = body.merging(["content-type": "application/json"]) { $1 }
            #expect(refusal("POST", "/v1/tasks", changing: typed) == nil)
        }
    }

    @Test func `a body that is larger than its route accepts is refused by the head`() {
        let large = ["content-length": "300000", "content-type": "application/json"]
        #expect(refusal("POST", "/v1/tasks", changing: large) == .tooLarge)
        #expect(refusal("POST", "/v1/tasks/batch", changing: large) == nil)
        #expect(refusal("POST", "/v1/tasks/batch", changing: ["content-length": "many"]) == .tooLarge)
    }

    @Test func `a large body without the token is refused for the token`() {
        let changes = ["content-length": "300000", "authorization": nil] as [String: String?]
        #expect(refusal("POST", "/v1/tasks", changing: changes) == .noToken)
    }

    @Test func `each token is new and has 256 bits`() {
        let other = PageAccess.newToken()
        #expect(other != Self.token && other.utf8.count == 64)
        #expect(other.wholeMatch(of: /[0-9a-f]{64}/) != nil)
    }
}

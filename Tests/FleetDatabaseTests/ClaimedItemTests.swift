// Part of bgtask, under the Apache License 2.0; see LICENSE.

import FleetDatabase
import Foundation
import Testing

@Suite("A claim with an invalid request is decoded, so that the other claims of the answer go on")
struct ClaimedItemTests {
    @Test(arguments: [#"{"n": 3}"#, #"{"n": 1e400}"#, #"{"n": null}"#, #"{"n": []}"#, #"{"n": {"a": 1}}"#])
    func `a member that is neither boolean nor text is decoded as invalid, and the other item as it is`(
        request: String
    ) throws {
        let items = try decoded(request, #"{"requires_network": true, "title": "a"}"#)
        #expect(items.first?.request == ["n": .invalid])
        #expect(items.last?.request == ["requires_network": .bool(true), "title": .text("a")])
    }

    @Test(arguments: ["3", "[]", #""text""#, "null"])
    func `a request that is no object is decoded as nil`(request: String) throws {
        let items = try decoded(request, "{}")
        #expect(items.first?.request == nil && items.last?.request == [:])
    }

    private func decoded(_ requests: String...) throws -> [ClaimedItem] {
        let items = requests.enumerated().map { number, request in
            #"{"item": \#(number), "fence": 1, "bound": false, "plugin": "com.example.p", "#
                + #""identifier": "com.example.p.clean", "kind": "processing", "request": \#(request)}"#
        }
        return try JSONDecoder().decode([ClaimedItem].self, from: Data("[\(items.joined(separator: ","))]".utf8))
    }
}

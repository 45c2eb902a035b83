// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Fleet
import FleetDatabase
import Foundation
import TaskModel
import Testing

@testable import FleetFeeder

@Suite("A claimed item becomes a request, or is refused with the cause")
struct FleetItemTests {
    private static let now = WallTime(nanoseconds: 1_769_824_800_000_000_000)

    private func claimed(_ request: String, kind: String = "processing") throws -> ClaimedItem {
        let text =
            #"{"item": 7, "fence": 2, "bound": true, "plugin": "com.example.p", "identifier": "com.example.p.clean", "#
            + #""kind": "\#(kind)", "request": \#(request)}"#
        return try JSONDecoder().decode(ClaimedItem.self, from: Data(text.utf8))
    }

    @Test func `the members of a valid request are those of the control API`() throws {
        let item = try FleetItem(claimed(#"{"requires_external_power": true}"#), now: Self.now)
        #expect(item.claim == Claim(item: 7, fence: 2, isBound: true))
        #expect(item.request.kind == .processing && item.request.requiresExternalPower)
    }

    @Test(arguments: [
        (#"{"n": 3}"#, #"field "n" is neither true, false nor a string"#),
        (#"[]"#, "the request is not an object"),
    ])
    func `an invalid request is refused with its field`(request: String, message: String) throws {
        let error = try #require(throws: RouteError.self) { try FleetItem(claimed(request), now: Self.now) }
        #expect(error.reply.error.message == message)
    }
}

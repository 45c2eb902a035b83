// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Fleet
import Testing

@Suite("A target names one host, any host of a group, or each host of a group")
struct FleetTargetTests {
    @Test(arguments: ["host:web-1.example.com", "any:all", "each:builders"])
    func `a written target reads back as the same text`(text: String) throws {
        #expect(try FleetTarget(text).description == text)
    }

    @Test(arguments: [
        ("web-1", "has no colon"), ("some:web", "begins with \"some\""),
        ("host:", "is empty"), ("any:-a", "begins or ends"),
        ("each:Web", "a character other than"), ("host:" + String(repeating: "a", count: 64), "has 64 bytes"),
    ])
    func `the problem of an invalid target names the rule`(text: String, rule: String) {
        #expect {
            try FleetTarget(text)
        } throws: {
            "\($0)".contains(rule)
        }
    }
}

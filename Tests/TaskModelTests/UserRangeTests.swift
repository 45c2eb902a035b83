// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@Suite("A range of users contains only numbers that a plugin may have")
struct UserRangeTests {
    @Test func `a range of users has the numbers from its first to its last`() throws {
        let range = try #require(UserRange("600000-600002"))
        #expect(range.count == 3 && range.description == "600000-600002")
        #expect([-1, 0, 2, 3].map { range[$0] } == [nil, 600_000, 600_002, nil])
        #expect([599_999, 600_000, 600_002, 600_003].map { range.contains(UInt32($0)) } == [false, true, true, false])
    }

    @Test(arguments: [
        "", "-", "600000", "600000-", "-600000", "600002-600000", "0-9", "999-2000", "1000-4294967295",
        "1000-4294967296", "1000-+2000", "1000--2000", " 1000-2000", "1000-2000-3000", "auto", "１０００-2000",
    ])
    func `a text that is no range of permitted users is refused`(text: String) {
        #expect(UserRange(text) == nil)
    }

    @Test(arguments: ["1000-1000", "1000-4294967294", "1000-2000"])
    func `a range of users is read from its description`(text: String) {
        #expect(UserRange(text)?.description == text)
    }
}

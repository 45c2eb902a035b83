// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import TaskModel
import Testing

@testable import Commands

@Suite("The report of a trial shows each submitted request with its times and its answer")
struct TryReportTests {
    private func submitted(earliestBegin: Int64?, expiresAt: Int64?) -> TryReport.Submitted {
        TryReport.Submitted(
            identifier: "a.b",
            kind: "refresh",
            earliestBegin: earliestBegin,
            expiresAt: expiresAt,
            payloadSize: 0,
            answer: "accepted",
            message: nil
        )
    }

    @Test func `a request with an earliest begin and a deadline shows both`() {
        let begin = Samples.now.nanoseconds
        let text = submitted(earliestBegin: begin, expiresAt: begin + 60_000_000_000).text
        let times = [Timestamp(Samples.now), Timestamp(Samples.now + .seconds(60))]
        #expect(text == "a.b (refresh, begins no earlier than \(times[0]), lapses at \(times[1])): accepted")
        #expect(submitted(earliestBegin: nil, expiresAt: nil).text == "a.b (refresh): accepted")
    }

    @Test func `the JSON of a request has its deadline in nanoseconds`() throws {
        let data = try JSONEncoder().encode(submitted(earliestBegin: nil, expiresAt: 7))
        let fields = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        #expect(fields?["expires_at_ns"] as? Int == 7 && fields?["earliest_begin_ns"] == nil)
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasksTesting
import Testing

// Inside of the serialized suite of the other hosts: no other test has a host meanwhile.
extension RefreshTests {
    @Suite("Hosts in the process of a test have an entry of their own each")
    struct SimultaneousEntryTests {
        /// The error that the closure of one host throws.
        private struct NumberedError: Error {
            let number: Int
        }

        /// Enters a host whose closure throws the error with a number.
        ///
        /// - Returns: the errors in the log of the host.
        private func errorsOfHost(throwing number: Int) async throws -> [String] {
            let host = TestHost(plugin: "com.example.colorfeed", permitted: ["com.example.colorfeed.refresh"])
            let failure = await #expect(throws: TestHost.EntryFailure.self) {
                try await host.enterAsync {
                    await Task.yield()
                    throw NumberedError(number: number)
                }
            }
            return try #require(failure).log.filter { $0.contains("NumberedError") }
        }

        @Test func `hosts that enter at the same time call their own closures`() async throws {
            try await withThrowingTaskGroup(of: (number: Int, errors: [String]).self) { group in
                for number in 0..<16 { group.addTask { (number, try await self.errorsOfHost(throwing: number)) } }
                for try await host in group {
                    #expect(host.errors.count == 1)
                    #expect(host.errors.allSatisfy { $0.hasSuffix("NumberedError(number: \(host.number))") })
                }
            }
        }
    }
}

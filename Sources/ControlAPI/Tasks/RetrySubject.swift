// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The subject of `POST /v1/tasks/{identifier}/retry`: a task, or the submission with a number.
package enum RetrySubject: Hashable, Sendable {
    case task(TaskIdentifier)
    case submission(SubmissionNumber)

    /// Reads the parameter of the path. A text of digits is the number of a submission.
    package init(validating text: String) throws(RouteError) {
        let isNumber = !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard isNumber else {
            self = .task(try TaskIdentifier(validating: text))
            return
        }
        guard let number = Int64(text), number > 0 else {
            throw RouteError(
                .numberInvalid,
                field: "identifier",
                "submission \(text) is no number from 1 to \(Int64.max)",
                remedy: "write the number that \"bgtask journal\" prints, or the identifier of a task"
            )
        }
        self = .submission(SubmissionNumber(rawValue: number))
    }
}

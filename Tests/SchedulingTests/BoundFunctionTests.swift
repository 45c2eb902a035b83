// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A library with bound functions runs as a plugin, and the journal names its functions")
struct BoundFunctionTests {
    let host = SchedulerDriver()

    private static let clean = "int32_t logtrim_run(const char *, int32_t *) of /plugins/libcom.example.app.so"
    private static let vacuum = "void vacuum(double) of /plugins/libcom.example.app.so"

    private func launch(_ identifiers: TaskIdentifier...) {
        host.install(.bound())
        for identifier in identifiers { host.submit(identifier, after: .minutes(1)) }
        host.advance(by: .minutes(1))
        host.enter(receives: false)
    }

    @Test(.proves("C11")) func `a plugin with bound functions gets no started event when it is installed`() {
        host.install(.bound())
        #expect(host.plans.isEmpty && host.pendingEvents.isEmpty)
        #expect(host.entries(.pluginInstalled).map(\.plugin) == [.app])
        host.install(.app())
        #expect(host.lastPlan?.tasks.map(\.work.label) == ["started"])
    }

    @Test
    func `the journal entry of a completed bound function ends with its return value and out parameter`() throws {
        launch(.clean)
        let plan = try #require(host.lastPlan)
        let task = try #require(plan.id(of: .clean))
        host.send(.completed(plan.number, task, .success, message: "logtrim_run returned 0; out-int64 12"))
        #expect(host.outcomes(of: .clean) == [.succeeded])
        let entry = try #require(host.lastEntry(of: .clean))
        #expect(entry.message.hasPrefix("completed after "))
        #expect(entry.message.hasSuffix(": logtrim_run returned 0; out-int64 12"))
    }

    @Test func `the failure of a task with a bound function is blamed on the plugin`() throws {
        launch(.clean)
        let plan = try #require(host.lastPlan)
        let clean = try #require(plan.id(of: .clean))
        host.send(.completed(plan.number, clean, .failure, message: "logtrim_run returned -1"))
        #expect(host.outcomes(of: .clean) == [.failed])
        #expect(host.lastEntry(of: .clean)?.blame == .plugin)
    }

    @Test(.proves("C3"))
    func `a crash in a bound function is journaled with library, function and signature, and charged to its task`() {
        launch(.clean, .vacuum)
        host.crash(on: .vacuum)
        let message = host.lastEntry(of: .vacuum)?.message ?? ""
        #expect(message.hasPrefix("the process was ended by signal 11 (SIGSEGV) in \(Self.vacuum) (signature from"))
        #expect(message.contains("attempt 1 of 3"))
        #expect(host.lastLaunchEntry?.message.contains(Self.vacuum) == true)
        #expect(host.lastEntry(of: .clean)?.message.hasPrefix("interrupted, no attempt charged") == true)
    }

    @Test func `the journal entry of a crash at an unknown place names the bound function of the only task`() {
        launch(.clean)
        host.crash()
        #expect(host.lastLaunchEntry?.message.contains(Self.clean) == true)
    }

    @Test func `the journal entry of a crash at an unknown place names the bound functions of both open tasks`() {
        launch(.clean, .vacuum)
        host.crash()
        let message = host.lastLaunchEntry?.message ?? ""
        #expect(message.contains("in one of the functions int32_t logtrim_run("))
        #expect(message.contains("(const char *, int32_t *) and void vacuum(double) of /plugins/"), "\(message)")
        #expect(message.contains("/plugins/libcom.example.app.so (signatures from the manifest)"), "\(message)")
    }

    @Test(.proves(61)) func `the journal entry of a kill for memory names the bound function`() {
        launch(.clean)
        host.runOutOfMemory()
        #expect(
            host.lastEntry(of: .clean)?.message.contains("for lack of memory while it ran \(Self.clean)") == true
        )
    }

    @Test func `the journal entry of an exit inside a bound function names the function`() {
        launch(.clean)
        host.exit(code: 3)
        #expect(host.lastEntry(of: .clean)?.message.contains("exited with code 3") == true)
        #expect(host.lastEntry(of: .clean)?.message.contains(Self.clean) == true)
    }

    @Test(.proves(57))
    func `an overdue bound function without a cancel flag ends as expired, and the journal suggests a cancel-flag`() {
        launch(.vacuum)
        host.advance(by: .minutes(10) + .seconds(5))
        #expect(host.outcomes(of: .vacuum) == [.expired])
        let message = host.lastEntry(of: .vacuum)?.message ?? ""
        #expect(message.contains(Self.vacuum) && message.hasSuffix("bind a cancel-flag if the function takes one"))
    }

    @Test(.proves(59))
    func `a bound function that ignores its cancel flag overruns, and the journal names the function`() {
        launch(.clean)
        host.setExpirationHandler(for: .clean)
        host.advance(by: .minutes(10) + .seconds(5))
        #expect(host.outcomes(of: .clean) == [.overran])
        let message = host.lastEntry(of: .clean)?.message ?? ""
        #expect(message.contains(Self.clean) && message.hasSuffix("check the flag more often"))
    }

    @Test(.proves("C8"))
    func `a continued submission of a bound function is refused, and the refusal suggests processing`() throws {
        host.install(.bound())
        let refusal = try #require(host.submitContinued(.clean)?.refusal)
        #expect(refusal.code == .unavailable && refusal.subReason == .notOffered)
        #expect(refusal.message.hasSuffix("submit it as processing"))
        #expect(host.submit(.clean)?.refusal == nil)
    }

    @Test func `a crash while a library with bound functions is loaded is journaled with the path of the library`() {
        host.install(.bound())
        host.submit(.clean)
        host.crash()
        #expect(
            host.lastEntry(of: .clean)?.message.contains("while the library /plugins/libcom.example.app.so was loaded")
                == true
        )
    }

    @Test func `a launch with bound functions counts as loading them from its plan until its entry returns`() throws {
        host.install(.bound())
        host.submit(.clean)
        let launch = try #require(host.lastPlan).number
        #expect(host.scheduler.isLoadingFunctions(launch))
        host.enter(receives: false)
        #expect(!host.scheduler.isLoadingFunctions(launch))
        host.runToTheEnd()
        #expect(!host.scheduler.isLoadingFunctions(launch))
        let other = SchedulerDriver(.app())
        other.submit(.clean)
        #expect(!other.scheduler.isLoadingFunctions(try #require(other.lastPlan).number))
    }
}

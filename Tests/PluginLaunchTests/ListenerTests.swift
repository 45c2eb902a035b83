// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import RunnerWire
import TaskModel
import Testing

@testable import PluginLaunch

extension LaunchTests {
    @Suite("A launch does not run without the listener for its refused system calls")
    struct ListenerTests {
        private static let start = MonotonicTime(nanoseconds: 0)

        /// Whether the kernel lets a socket refuse the descriptors of its peer, as from Linux 6.16.
        static let canRefuseDescriptors: Bool = {
            guard let (near, _) = try? Descriptor.socketPair() else { return false }
            return bgl_refuse_descriptors(near.number) == 0
        }()

        /// Sends a frame of a runner to the channel, with the standard input of the test in place of a listener. Returns
        /// whether the kernel accepted it.
        @discardableResult
        private func send(from far: Descriptor, to channel: inout RunnerChannel) throws -> Bool {
            let frame = try RunnerMessage.confined().frame()
            let sent = frame.withUnsafeBytes {
                bgl_send_with_descriptor(far.number, $0.baseAddress, $0.count, STDIN_FILENO)
            }
            if sent == Int(-EPERM) { return false }
            #expect(sent == frame.count)
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 8)
            defer { buffer.deallocate() }
            var messages: [RunnerMessage] = []
            let status = channel.receive(into: buffer, at: Self.start) { message in
                messages.append(message)
                return true
            }
            #expect(status == .open)
            #expect(messages == [.confined()])
            return true
        }

        /// The error with which the channel reports that the runner's listener did not arrive; nil for none.
        private func loss(in channel: inout RunnerChannel) -> SystemError? {
            do throws(SystemError) {
                _ = try channel.listener.take(from: nil)
                return nil
            } catch {
                return error
            }
        }

        /// Runs `body` while this process gets no further descriptor.
        private func withoutFreeDescriptors(_ body: () throws -> Void) rethrows {
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limit = rlimit()
            getrlimit(resource, &limit)
            var whole = limit
            let free = dup(STDIN_FILENO)
            close(free)
            limit.rlim_cur = rlim_t(free)
            setrlimit(resource, &limit)
            defer { setrlimit(resource, &whole) }
            try body()
        }

        @Test func `a runner's listener for which the host has no free descriptor is reported as lost, once`() throws {
            let (near, far) = try Descriptor.socketPair()
            var channel = RunnerChannel(socket: near, at: Self.start)
            channel.listener.isExpected = true
            try withoutFreeDescriptors { try send(from: far, to: &channel) }
            let (first, second) = (loss(in: &channel), loss(in: &channel))
            #expect(first?.number == EMFILE && second == nil)
        }

        @Test func `a descriptor that a runner without a filter sends is closed, and no listener is reported as lost`()
            throws
        {
            for isShort in [false, true] {
                let (near, far) = try Descriptor.socketPair()
                var channel = RunnerChannel(socket: near, at: Self.start)
                let before = openDescriptors()
                if isShort {
                    try withoutFreeDescriptors { try send(from: far, to: &channel) }
                } else {
                    try send(from: far, to: &channel)
                }
                let lost = loss(in: &channel)
                #expect(lost == nil)
                #expect(openDescriptors() == before)
            }
        }

        @Test func `a descriptor that a plugin sends after the first bytes of its runner is not reported as lost`()
            throws
        {
            let (near, far) = try Descriptor.socketPair()
            var channel = RunnerChannel(socket: near, at: Self.start)
            channel.listener.isExpected = true
            try send(from: far, to: &channel)
            let first = loss(in: &channel)
            try send(from: far, to: &channel)
            try withoutFreeDescriptors { try send(from: far, to: &channel) }
            let second = loss(in: &channel)
            #expect(first?.number == EBADF && second == nil)
        }

        @Test(.enabled(if: ListenerTests.canRefuseDescriptors, "the kernel lacks SO_PASSRIGHTS of Linux 6.16"))
        func `the kernel refuses the descriptors that a plugin sends after the first bytes of its runner`() throws {
            let (near, far) = try Descriptor.socketPair()
            var channel = RunnerChannel(socket: near, at: Self.start)
            let first = try send(from: far, to: &channel)
            let second = try send(from: far, to: &channel)
            #expect(first && !second)
        }

        /// Begins launch 1 with a filter, and expects that it is killed as a failure of the host. Returns the message.
        private func failure(of fixture: LaunchFixture) async throws -> String {
            fixture.launcher.take(for: 1)
            _ = await fixture.events.ready(1)
            fixture.launcher.limit(1, LaunchResources(limits: .none, isBackground: false, isFiltered: true))
            try fixture.launcher.send(.stop, to: 1)
            let message = await fixture.events.first { event in
                if case .failedByHost(1, let message) = event { message } else { nil }
            }
            let end = await fixture.events.end(1)
            #expect(end.wasKilled && end.termination == .signaled(SIGKILL))
            return message
        }

        @Test func `a launch whose listener does not arrive is killed as a failure of the host`() async throws {
            let main = "char byte; read(3, &byte, 1); say_with(CONFINED, 1); forever();"
            let frames = ["CONFINED": try RunnerMessage.confined().frame()]
            try await LaunchFixture.with(frames: frames, runner: main) { fixture in
                let message = try await failure(of: fixture)
                #expect(message.hasPrefix("cannot enforce the sandbox of launch 1: cannot receive the listener"))
                #expect(fixture.events.messages(1) == [.confined()])
            }
        }

        @Test func `before the first bytes of a runner with a filter arrive, the host sends one frame alone`() throws {
            let (near, far) = try Descriptor.socketPair()
            var channel = RunnerChannel(socket: near, at: Self.start)
            channel.listener.isExpected = true
            let (first, second, third) = (try HostMessage.stop.frame(), [UInt8](1...9), [UInt8](10...99))
            for frame in [first, second, third] {
                let status = channel.send(frame)
                #expect(status == .open)
            }
            #expect(received(by: far) == first)
            _ = channel.flush()
            #expect(received(by: far).isEmpty)
            try send(from: far, to: &channel)
            // The listener is taken before the caller sends the deferred frames.
            #expect(received(by: far).isEmpty)
            _ = channel.flush()
            #expect(received(by: far) == second + third)
            _ = channel.send(first)
            #expect(received(by: far) == first)
        }

        private func received(by far: Descriptor) -> [UInt8] {
            [UInt8](unsafeUninitializedCapacity: 4_096) { buffer, count in
                count = max(0, recv(far.number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)))
            }
        }

        @Test func `only the first message of a runner can name a listener that the host copies`() throws {
            let own = Descriptor(owning: try SystemError.check(bgl_pidfd_open(getpid()), "open this process"))
            var (first, other, unexpected) = (RunnerListener(), RunnerListener(), RunnerListener())
            let naming = RunnerMessage.confined(listener: STDIN_FILENO)
            first.isExpected = true
            first.accept(naming)
            unexpected.accept(naming)
            other.isExpected = true
            other.accept(.stopped)
            let failures = [copyFailure(&first, own), copyFailure(&first, own)]
            #expect(failures.map { $0?.number } == [EBADF, nil])
            let others = [copyFailure(&other, own), copyFailure(&unexpected, own)]
            #expect(others == [nil, nil])

            let (near, far) = try Descriptor.socketPair()
            var channel = RunnerChannel(socket: near, at: Self.start)
            channel.listener.isExpected = true
            let frames = try RunnerMessage.confined().frame() + RunnerMessage.confined(listener: STDIN_FILENO).frame()
            let sent = Glibc.send(far.number, frames, frames.count, 0)
            #expect(sent == frames.count)
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 8)
            defer { buffer.deallocate() }
            let status = channel.receive(into: buffer, at: Self.start) { _ in true }
            #expect(status == .open)
            let failure = copyFailure(&channel.listener, own)
            #expect(failure == nil)
        }

        private func copyFailure(_ listener: inout RunnerListener, _ runner: Descriptor) -> SystemError? {
            do throws(SystemError) {
                _ = try listener.take(from: runner)
                return nil
            } catch {
                return error
            }
        }

        @Test func `a launch whose listener cannot be copied from its runner is killed, with the remedy`() async throws
        {
            let main = "char byte; read(3, &byte, 1); say(CONFINED); forever();"
            let frames = ["CONFINED": try RunnerMessage.confined(listener: STDIN_FILENO).frame()]
            try await LaunchFixture.with(frames: frames, runner: main) { fixture in
                let message = try await failure(of: fixture)
                #expect(message.hasPrefix("cannot enforce the sandbox of launch 1: cannot copy the listener"))
                #expect(message.contains("raise LimitNOFILE= of bgtaskd's service"))
            }
        }

        @Test(arguments: [1, 2, 3, 16])
        func `all descriptors that a runner sends are closed, whatever their number in one message`(count: Int)
            async throws
        {
            let hello = RunnerMessage.log(.info, message: "hello")
            let frames = ["HELLO": try hello.frame()]
            try await LaunchFixture.with(frames: frames, runner: "say_with(HELLO, \(count));") { fixture in
                let before = openDescriptors()
                #expect(await fixture.run(1).termination == .exited(code: 0))
                #expect(fixture.events.messages(1) == [hello])
                #expect(openDescriptors().isSubset(of: before))
            }
        }

        @Test func `a listener that fails is distinguished from one whose launch has no process any more`() throws {
            let (idle, otherEnd) = try Descriptor.pipe()
            withExtendedLifetime(otherEnd) { #expect(failure(of: idle) == nil && !isEnded(idle)) }
            // Readable, and no listener: the kernel refuses the request for the waiting call.
            let (failing, writing) = try Descriptor.pipe()
            try writing.write("x", for: "write to a pipe")
            #expect(failure(of: failing)?.number == ENOTTY)
            let hungUp = try Descriptor.pipe().0
            #expect(isEnded(hungUp) && failure(of: hungUp) == nil)
        }

        @Test func `a listener at which a signal interrupted the kernel has not failed`() throws {
            // The writing end of a pipe without a reader reports the same event: an error alone.
            let interrupted = try Descriptor.pipe().1
            #expect(failure(of: interrupted) == nil && !isEnded(interrupted))
        }

        private func failure(of listener: Descriptor) -> SystemError? {
            var calls = RefusedCalls(listener: listener, at: Self.start)
            return if case .failed(let error) = calls.answer() { error } else { nil }
        }

        private func isEnded(_ listener: Descriptor) -> Bool {
            var calls = RefusedCalls(listener: listener, at: Self.start)
            return if case .ended = calls.answer() { true } else { false }
        }
    }
}

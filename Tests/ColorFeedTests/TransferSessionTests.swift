// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import BackgroundTasksApp
import BackgroundTasksTesting
import Foundation
import StatementTraits
import Synchronization
import Testing

/// The delegate of a session, which takes each file.
private final class Photos: BackgroundTransferDelegate {
    let taken = Mutex<[String]>([])
    let ended = Mutex<[Int: String]>([:])
    let finished = Mutex(0)
    let container: URL
    /// Called after the last ended transfer; nil for no call.
    let onFinish = Mutex<(@Sendable () -> Void)?>(nil)

    init(_ container: URL) { self.container = container }

    func transferSession(
        _ session: BackgroundTransferSession,
        downloadTask: BackgroundTransferTask,
        didFinishDownloadingTo location: URL
    ) {
        let contents = (try? String(contentsOf: location, encoding: .utf8)) ?? "none"
        taken.withLock { $0.append(contents) }
        try? FileManager.default.moveItem(
            at: location,
            to: container.appending(path: "\(downloadTask.taskIdentifier).jpg")
        )
    }

    func transferSession(
        _ session: BackgroundTransferSession,
        task: BackgroundTransferTask,
        didCompleteWithError error: (any Error)?
    ) {
        let code = (error as? BackgroundTransferError)?.code ?? (error == nil ? "finished" : "refused")
        ended.withLock { $0[task.taskIdentifier] = code }
    }

    func transferSessionDidFinishEvents(_ session: BackgroundTransferSession) {
        finished.withLock { $0 += 1 }
        onFinish.withLock { $0 }?()
    }
}

/// An app delegate that creates the session when the host launches the plugin for it.
private final class AppDelegate: NSObject, UIApplicationDelegate {
    let photos: Photos
    var sessions: [String] = []
    var session: BackgroundTransferSession?

    init(_ photos: Photos) { self.photos = photos }

    func application(
        _ application: UIApplication,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        sessions.append(identifier)
        nonisolated(unsafe) let complete = completionHandler
        photos.onFinish.withLock { $0 = { complete() } }
        session = BackgroundTransferSession(configuration: .background(withIdentifier: identifier), delegate: photos)
    }
}

/// An app delegate that creates no session, and leaves its events open.
private final class WaitingDelegate: NSObject, UIApplicationDelegate {
    var events = 0

    func application(
        _ application: UIApplication,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        events += 1
    }
}

/// An app delegate without functions for sessions.
private final class PlainDelegate: NSObject, UIApplicationDelegate {}

// Nested, because a process has one host at a time.
extension RefreshTests {
    @Suite("A plugin begins background transfers, and takes their files in a later launch", .timeLimit(.minutes(1)))
    struct TransferSessionTests {
        private static let url = URL(string: "https://example.com/1.jpg")

        private func container() throws -> URL {
            let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            return directory
        }

        @MainActor
        private func host(_ container: URL, _ launch: @escaping @MainActor () -> Void = {}) throws -> TestHost {
            let host = TestHost(plugin: "com.example.colorfeed", permitted: [], container: container)
            try host.enter { launch() }
            return host
        }

        @Test @MainActor func `a download begins with the session's headers and its own size, digest and date`()
            async throws
        {
            let host = try host(try container())
            var configuration = BackgroundTransferSession.Configuration.background(withIdentifier: "photos")
            configuration.isDiscretionary = true
            configuration.httpAdditionalHeaders = ["Accept": "image/*"]
            configuration.secretHeaders = ["Authorization": "Bearer ${token}"]
            let session = BackgroundTransferSession(configuration: configuration)
            let task = session.downloadTask(with: try #require(Self.url))
            task.taskDescription = "first"
            task.sha256 = Data(repeating: 7, count: 32)
            task.countOfBytesClientExpectsToReceive = 12
            #expect(task.state == .suspended && task.taskIdentifier == 0)
            #expect(try await task.begin() == 1)
            #expect(task.state == .waiting && task.taskIdentifier == 1)
            let begun = try #require(host.transfers.first)
            #expect(begun.session == "photos" && begun.url == "https://example.com/1.jpg" && begun.isDiscretionary)
            #expect(begun.headers == ["Accept: image/*", "Authorization: Bearer ${token}"])
            #expect(begun.sha256 == task.sha256 && begun.expectedSize == 12 && begun.taskDescription == "first")
            #expect(await host.end() == [])
        }

        @Test(.proves(87, "C25")) func `every background session sends launch events, also a discretionary one`() {
            var configuration = BackgroundTransferSession.Configuration.background(withIdentifier: "photos")
            for isDiscretionary in [false, true] {
                configuration.isDiscretionary = isDiscretionary
                #expect(configuration.sessionSendsLaunchEvents)
            }
        }

        @Test @MainActor func `an upload names its file relative to the container, and another file is refused`()
            async throws
        {
            let container = try container()
            let host = try host(container)
            let session = BackgroundTransferSession(configuration: .background(withIdentifier: "reports"))
            let url = try #require(Self.url)
            try await session.uploadTask(with: url, fromFile: container.appending(path: "out/day.json")).begin()
            #expect(host.transfers.first?.file == "out/day.json" && host.transfers.first?.direction == .upload)
            let foreign = session.uploadTask(with: url, fromFile: URL(filePath: "/etc/passwd"))
            await #expect(throws: BGTaskScheduler.Error.self) { try await foreign.begin() }
            #expect(host.transfers.count == 1)
            #expect(await host.end() == [])
        }

        @Test @MainActor func `a refused transfer throws its error, and resume passes it to the delegate`() async throws
        {
            let container = try container()
            let host = try host(container)
            let photos = Photos(container)
            let session = BackgroundTransferSession(
                configuration: .background(withIdentifier: "photos"),
                delegate: photos
            )
            let task = session.downloadTask(with: try #require(Self.url))
            host.refuseNext(.notPermitted, subReason: .networkNotGranted, message: "no network")
            let error = await #expect(throws: BGTaskScheduler.Error.self) { try await task.begin() }
            #expect(error?.subReason == .networkNotGranted)
            host.refuseNext(.notPermitted, subReason: .networkNotGranted, message: "no network")
            task.resume()
            while photos.ended.withLock({ $0.isEmpty }) { await Task.yield() }
            #expect(photos.ended.withLock { $0 } == [0: "refused"])
            #expect(await host.end() == [])
        }

        @Test @MainActor func `the delegate of a session receives its ended transfers once, and takes the files`()
            async throws
        {
            let container = try container()
            let photos = Photos(container)
            let host = try host(container) {
                let configuration = BackgroundTransferSession.Configuration.background(withIdentifier: "photos")
                _ = BackgroundTransferSession(configuration: configuration, delegate: photos)
            }
            let session = BackgroundTransferSession(
                configuration: .background(withIdentifier: "photos"),
                delegate: photos
            )
            let url = try #require(Self.url)
            for _ in 0..<3 { try await session.downloadTask(with: url).begin() }
            #expect(host.finishTransfer(1, with: Data("one".utf8)) && host.failTransfer(2, code: "digest-mismatch"))
            try await session.allTasks[2].cancel()
            #expect(try await session.allTasks.map(\.state) == [.finished, .failed, .cancelled])
            #expect(await host.finishSession("photos") == .success)
            #expect(photos.taken.withLock { $0 } == ["one"] && photos.finished.withLock { $0 } == 1)
            #expect(photos.ended.withLock { $0 } == [1: "finished", 2: "digest-mismatch", 3: "cancelled"])
            let taken = container.appending(path: "1.jpg")
            #expect(try String(contentsOf: taken, encoding: .utf8) == "one")
            #expect(try await session.allTasks.isEmpty)
            #expect(await host.end() == [])
        }

        @Test @MainActor func `an app delegate creates the session, and completes the event after the last transfer`()
            async throws
        {
            let container = try container()
            let photos = Photos(container)
            let delegate = AppDelegate(photos)
            let host = try host(container) { UIApplication.shared.delegate = delegate }
            let session = BackgroundTransferSession(configuration: .background(withIdentifier: "albums"))
            try await session.downloadTask(with: try #require(Self.url)).begin()
            session.invalidate()
            #expect(host.finishTransfer(1, with: Data("one".utf8)))
            #expect(await host.finishSession("albums") == .success)
            #expect(delegate.sessions == ["albums"] && photos.taken.withLock { $0 } == ["one"])
            UIApplication.shared.delegate = nil
            #expect(await host.end() == [])
        }

        @Test @MainActor func `without functions of the app delegate, the delegate of the session gets its event`()
            async throws
        {
            let container = try container()
            let photos = Photos(container)
            let host = try host(container) { UIApplication.shared.delegate = PlainDelegate() }
            let session = BackgroundTransferSession(
                configuration: .background(withIdentifier: "plain"),
                delegate: photos
            )
            try await session.downloadTask(with: try #require(Self.url)).begin()
            #expect(host.finishTransfer(1, with: Data("one".utf8)))
            #expect(await host.finishSession("plain") == .success)
            #expect(photos.taken.withLock { $0 } == ["one"] && photos.finished.withLock { $0 } == 1)
            UIApplication.shared.delegate = nil
            session.invalidate()
            #expect(await host.end() == [])
        }

        @Test @MainActor func `two events of a session without an object end together when the object is created`()
            async throws
        {
            let container = try container()
            let photos = Photos(container)
            let delegate = WaitingDelegate()
            let host = try host(container) { UIApplication.shared.delegate = delegate }
            async let first = host.finishSession("late")
            async let second = host.finishSession("late")
            while delegate.events < 2 { await Task.yield() }
            // The list of the ended transfers fails, so that the delivery ends both events.
            host.refuseNext(.unavailable, message: "no list")
            let session = BackgroundTransferSession(
                configuration: .background(withIdentifier: "late"),
                delegate: photos
            )
            #expect(await [first, second] == [.failure, .failure])
            UIApplication.shared.delegate = nil
            session.invalidate()
            #expect(await host.end() == [])
        }

        @Test @MainActor func `a continued task shows the bytes of a transfer, and waits for its end`() async throws {
            let export = "com.example.colorfeed.export"
            let host = TestHost(
                plugin: "com.example.colorfeed",
                permitted: [export],
                container: try container(),
                isUserInitiated: true
            )
            try host.enter {
                BGTaskScheduler.shared.register(forTaskWithIdentifier: export) { @Sendable task in
                    guard let task = task as? BGContinuedProcessingTask, let url = Self.url else {
                        return task.setTaskCompleted(success: false)
                    }
                    Task {
                        let session = BackgroundTransferSession(configuration: .background(withIdentifier: "shown"))
                        let transfer = session.downloadTask(with: url)
                        let isBegun = (try? await transfer.begin()) != nil
                        let ended = isBegun ? (try? await task.show(transfer)) : nil
                        task.setTaskCompleted(success: ended?.state == .finished)
                    }
                }
            }
            let delivery = try #require(host.deliver(export, .continued))
            while host.transfers.isEmpty { await Task.yield() }
            #expect(host.finishTransfer(1, with: Data("finished".utf8)))
            #expect(await host.outcome(of: delivery) == .success)
            #expect(host.progress(of: delivery).map { [$0.completed, $0.total] } == [8, 8])
            #expect(await host.end() == [])
        }

        @Test @MainActor func `a file is taken once, replaces another one only when asked, and stays in the container`()
            async throws
        {
            let container = try container()
            let host = try host(container)
            let session = BackgroundTransferSession(configuration: .background(withIdentifier: "photos"))
            try await session.downloadTask(with: try #require(Self.url)).begin()
            #expect(host.finishTransfer(1, with: Data("new".utf8)))
            let place = container.appending(path: "a.txt")
            try Data("old".utf8).write(to: place)
            let task = try #require(try await session.allTasks.first)
            #expect(throws: CocoaError.self) { try task.take(to: place) }
            #expect(throws: BGTaskScheduler.Error.self) { try task.take(to: URL(filePath: "/tmp/elsewhere")) }
            try task.take(to: place, replacing: true)
            #expect(try String(contentsOf: place, encoding: .utf8) == "new" && task.location == nil)
            #expect(throws: CocoaError.self) { try task.take(to: container.appending(path: "b.txt")) }
            #expect(await host.end() == [])
        }

        @Test @MainActor func `a session without an object and a receiver keeps its transfers`() async throws {
            let container = try container()
            let host = try host(container) {
                _ = BackgroundTransferSession(configuration: .background(withIdentifier: "others"))
            }
            let session = BackgroundTransferSession(configuration: .background(withIdentifier: "photos"))
            try await session.downloadTask(with: try #require(Self.url)).begin()
            session.invalidate()
            #expect(host.finishTransfer(1, with: Data("one".utf8)))
            #expect(await host.finishSession("photos") == .failure)
            #expect(try await session.allTasks.count == 1)
            #expect(await host.end() == [])
        }
    }
}

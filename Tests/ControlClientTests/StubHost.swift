// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlClient
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A control socket whose answers a test provides. It schedules no tasks; its only state is the list of received
/// requests.
struct StubHost {
    struct Request: Hashable, Sendable {
        var method: String
        var path: String
        var host: String?
        var body = ""
    }

    enum Answer: Sendable {
        case body(status: Int, String)
        /// A streamed body; each chunk is sent separately.
        case stream([String], Ending)
        /// No answer: the connection is closed.
        case hangUp
        /// No answer: the connection stays open.
        case silence
    }

    enum Ending: Sendable {
        case inOrder
        case brokenOff
        case never
    }

    typealias Behaviour = @Sendable (Request) -> Answer

    let socket: String
    private let log: RequestLog

    var requests: [Request] { log.requests }

    /// Runs `body` with a stub host that answers calls by `behaviour`, and deletes its socket afterwards.
    @discardableResult
    static func with<Result>(
        _ behaviour: @escaping Behaviour,
        _ body: (StubHost) async throws -> Result
    ) async throws -> Result {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let log = RequestLog()
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(StubHandler(log: log, behaviour: behaviour))
                }
            }
            .bind(unixDomainSocketPath: directory.path + "/socket").get()
        let outcome: Swift.Result<Result, any Error>
        do {
            outcome = .success(try await body(StubHost(socket: directory.path + "/socket", log: log)))
        } catch {
            outcome = .failure(error)
        }
        try await server.close()
        return try outcome.get()
    }

    fileprivate init(socket: String, log: RequestLog) {
        self.socket = socket
        self.log = log
    }

    /// Runs `body` with a client of this host. Its timeout leaves time for a machine whose processors run other tests.
    func connected<Result>(_ body: (ControlClient) async throws -> Result) async throws -> Result {
        try await ControlClient.withConnection(to: socket, answerTimeout: .seconds(600), body)
    }
}

/// A temporary directory of one test, with a path short enough for sockets.
struct TemporaryDirectory {
    let path: String

    init() throws {
        var template = Array("/tmp/bgtask-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw IOError(errnoCode: errno, reason: "mkdtemp") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Deletes the directory with its sockets and files. It has no subdirectories.
    func remove() {
        guard let directory = opendir(path) else { return }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            unlink("\(path)/\(name)")
        }
        closedir(directory)
        rmdir(path)
    }
}

private final class RequestLog: Sendable {
    private let entries = Mutex<[StubHost.Request]>([])

    var requests: [StubHost.Request] { entries.withLock { $0 } }

    func add(_ request: StubHost.Request) { entries.withLock { $0.append(request) } }
}

private final class StubHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let log: RequestLog
    private let behaviour: StubHost.Behaviour
    private var request = StubHost.Request(method: "", path: "")

    init(log: RequestLog, behaviour: @escaping StubHost.Behaviour) {
        self.log = log
        self.behaviour = behaviour
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            let host = head.headers.first(name: "host")
            request = StubHost.Request(method: head.method.rawValue, path: head.uri, host: host)
        case .body(let buffer):
            request.body += String(buffer: buffer)
        case .end:
            log.add(request)
            answer(behaviour(request), in: context)
        }
    }

    private func answer(_ answer: StubHost.Answer, in context: ChannelHandlerContext) {
        switch answer {
        case .body(let status, let text):
            writeHead(status: status, in: context)
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        case .stream(let chunks, let ending):
            writeHead(status: 200, in: context)
            for chunk in chunks {
                context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: chunk)))), promise: nil)
            }
            switch ending {
            case .inOrder: context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            case .brokenOff: context.close(promise: nil)
            case .never: context.flush()
            }
        case .hangUp:
            context.close(promise: nil)
        case .silence:
            break
        }
    }

    private func writeHead(status: Int, in context: ChannelHandlerContext) {
        let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status))
        context.write(wrapOutboundOut(.head(head)), promise: nil)
    }
}

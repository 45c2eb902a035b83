// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// The least that a durable queue in Swift does: it accepts submissions over HTTP on a socket, decodes their JSON, writes
/// them to SQLite in groups, and answers after the commit. It checks nothing, schedules nothing and keeps no journal. The
/// benchmark of submissions compares a host with it.
/// `BareQueue SOCKET DATABASE`
@main
struct BareQueue {
    static func main() throws {
        guard CommandLine.arguments.count == 3 else {
            FileHandle.standardError.write(Data("usage: BareQueue SOCKET DATABASE\n".utf8))
            exit(2)
        }
        let writer = try GroupWriter(path: CommandLine.arguments[2])
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let server = try ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(SubmissionHandler(writer))
                }
            }
            .bind(unixDomainSocketPath: CommandLine.arguments[1]).wait()
        try server.closeFuture.wait()
    }
}

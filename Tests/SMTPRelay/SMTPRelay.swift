// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// A mail relay on loopback that answers as the test wants, and tells what it is asked.
package final class SMTPRelay: Sendable {
    /// The answer to a recipient, and to the mail after it.
    package enum Reply: Equatable, Sendable {
        case accept
        /// After RCPT: `451` defers, `550` refuses.
        case refuse(Int)
        /// After the whole mail.
        case refuseMail(Int)
        /// Never answers RCPT.
        case hang
        /// Answers MAIL, before a recipient is named.
        case refuseSender(Int)
    }

    package struct Mail: Equatable, Sendable {
        package var recipient: String
        package var text: String

        /// The six digits in it.
        package var code: String? { text.firstMatch(of: /\r\n([0-9]{6}) is your code/).map { String($0.1) } }
    }

    /// The recipients and mails that the relay received, in order.
    package enum Event: Equatable, Sendable {
        case recipient(String)
        /// A whole mail arrived; whether it was accepted is the reply's matter.
        case mail(Mail)
    }

    package let port: Int
    /// For one reader.
    package let events: AsyncStream<Event>
    private let channel: any Channel
    private let reply: NIOLockedValueBox<@Sendable (String) -> Reply>

    /// Starts to listen.
    ///
    /// - Parameter reply: The answer to a recipient's address.
    /// - Throws: Why it cannot listen.
    package init(_ reply: @escaping @Sendable (String) -> Reply = { _ in .accept }) async throws {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        self.events = events
        let replies = NIOLockedValueBox(reply)
        self.reply = replies
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let conversation = SMTPConversation(
                        reply: { recipient in replies.withLockedValue { $0 }(recipient) },
                        tell: { continuation.yield($0) }
                    )
                    try channel.pipeline.syncOperations.addHandler(conversation)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    /// Answers otherwise from now on.
    package func answer(_ reply: @escaping @Sendable (String) -> Reply) {
        self.reply.withLockedValue { $0 = reply }
    }

    /// The next mail that arrives for an address; others are passed over.
    package func mail(to recipient: String) async -> Mail? {
        for await event in events {
            if case .mail(let mail) = event, mail.recipient == recipient { return mail }
        }
        return nil
    }

    /// Waits until an address was asked for.
    package func recipient(where isWanted: (String) -> Bool) async -> String? {
        for await event in events {
            if case .recipient(let recipient) = event, isWanted(recipient) { return recipient }
        }
        return nil
    }

    package func stop() async throws { try await channel.close() }
}

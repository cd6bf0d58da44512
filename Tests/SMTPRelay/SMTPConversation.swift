// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOCore

/// One connection to the relay (RFC 5321).
final class SMTPConversation: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let reply: (String) -> SMTPRelay.Reply
    private let tell: (SMTPRelay.Event) -> Void
    private var received: [UInt8] = []
    private var recipient = ""
    /// The lines of a mail, while it comes.
    private var mail: String?

    init(reply: @escaping (String) -> SMTPRelay.Reply, tell: @escaping (SMTPRelay.Event) -> Void) {
        self.reply = reply
        self.tell = tell
    }

    func channelActive(context: ChannelHandlerContext) { answer("220 relay.test", context) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += Array(unwrapInboundIn(data).readableBytesView)
        while let end = received.firstRange(of: Array("\r\n".utf8)) {
            let line = String(decoding: received[..<end.lowerBound], as: UTF8.self)
            received.removeFirst(end.upperBound)
            if mail == nil { take(command: line, context) } else { take(line: line, context) }
        }
    }

    private func take(command line: String, _ context: ChannelHandlerContext) {
        switch line.prefix(4).uppercased() {
        case "EHLO", "HELO": answer("250 relay.test", context)
        case "MAIL":
            // A relay that refuses all mail refuses the sender, whatever the recipient.
            if case .refuseSender(let code) = reply("") { return answer("\(code) no", context) }
            answer("250 ok", context)
        case "RCPT":
            recipient = line.firstMatch(of: /<([^>]*)>/).map { String($0.1) } ?? ""
            let answer = reply(recipient)
            tell(.recipient(recipient))
            switch answer {
            case .accept, .refuseMail, .refuseSender: self.answer("250 ok", context)
            case .refuse(let code): self.answer("\(code) no", context)
            case .hang: break
            }
        case "DATA":
            mail = ""
            answer("354 go on", context)
        case "QUIT":
            answer("221 bye", context)
            context.close(promise: nil)
        default: answer("250 ok", context)
        }
    }

    private func take(line: String, _ context: ChannelHandlerContext) {
        guard line == "." else {
            mail? += line + "\r\n"
            return
        }
        let text = mail ?? ""
        mail = nil
        if case .refuseMail(let code) = reply(recipient) {
            answer("\(code) no", context)
        } else {
            answer("250 ok", context)
        }
        tell(.mail(SMTPRelay.Mail(recipient: recipient, text: text)))
    }

    private func answer(_ line: String, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: line + "\r\n")), promise: nil)
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import CCurl
import FreshetEngine

extension MailBackend {
    /// Delivers mails over SMTP, by libcurl.
    static func smtp(_ server: SMTPServer, greeting name: String) -> MailBackend {
        _ = isPrepared
        let url = server.url(greeting: name)
        return MailBackend { mail throws(Fault) in
            let result = deliver(mail, by: server, at: url)
            guard result.code == CURLE_OK else {
                throw Fault(result, isPlainRecipient: mail.recipient.utf8.allSatisfy { $0 < 0x80 })
            }
        }
    }

    private static let isPrepared: Void = freshet_mail_prepare()

    private static func deliver(_ mail: OutgoingMail, by server: SMTPServer, at url: String) -> freshet_mail_result {
        func pointer(_ text: String?, _ body: (UnsafePointer<CChar>?) -> freshet_mail_result) -> freshet_mail_result {
            text.map { $0.withCString(body) } ?? body(nil)
        }
        // The pointers must be valid during the call.
        return pointer(url) { url in
            pointer(server.user) { user in
                pointer(server.password) { password in
                    pointer(server.authorities) { authorities in
                        pointer(mail.sender) { sender in
                            pointer(mail.recipient) { recipient in
                                mail.bytes.withUnsafeBytes { bytes in
                                    var call = freshet_mail(
                                        url: url,
                                        user: user,
                                        password: password,
                                        sender: sender,
                                        recipient: recipient,
                                        message: bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                                        length: bytes.count,
                                        needs_tls: server.security == .none ? 0 : 1,
                                        authorities: authorities,
                                        connect_milliseconds: Int(server.connectTimeout.milliseconds),
                                        total_milliseconds: Int(server.totalTimeout.milliseconds)
                                    )
                                    return freshet_mail_deliver(&call)
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

extension MailBackend.Fault {
    /// Classifies libcurl's error and the server's last reply.
    ///
    /// RFC 5321 section 4.2.1 calls 4xx a transient failure and 5xx a permanent one.
    ///
    /// Only a failure before the recipient was sent is attributed to the relay: clients choose recipients, and no
    /// client must be able to delay the mail of others.
    init(_ result: freshet_mail_result, isPlainRecipient: Bool) {
        let description = String(cString: curl_easy_strerror(result.code))
        reason =
            result.reply >= 400 ? "reply \(Self.refusal(result) ?? "\(result.reply) (\(description))")" : description
        switch Int(result.stage) {
        case freshet_mail_stage_connection:
            // Exhausted memory, or an address that libcurl cannot encode, is not a failure of the relay.
            isRelayFailure = Self.ofConnection.contains(result.code.rawValue)
            isTransient =
                isRelayFailure
                ? !Self.lasting.contains(result.code.rawValue) && !(500..<600).contains(result.reply)
                : true
        case freshet_mail_stage_sender:
            // MAIL has SMTPUTF8 if the recipient is not ASCII, so a failure may be caused by the recipient.
            isRelayFailure = isPlainRecipient
            isTransient = !(500..<600).contains(result.reply)
        default:
            isRelayFailure = false
            isTransient = !(500..<600).contains(result.reply)
        }
    }

    /// Returns the relay's reply, such as `550 5.1.1 mailbox unknown`, with the addresses of users masked.
    private static func refusal(_ result: freshet_mail_result) -> String? {
        let line = withUnsafeBytes(of: result.refusal) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        guard line.hasPrefix("\(result.reply)") else { return nil }
        let parts = line.withoutControls.unicodeScalars.split(separator: " ").map {
            $0.contains("@") ? "•••" : String($0)
        }
        return parts.joined(separator: " ")
    }

    /// TLS, certificate and authentication failures are permanent until an operator acts.
    private static let lasting = Set(
        [
            CURLE_USE_SSL_FAILED, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM,
            CURLE_LOGIN_DENIED, CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_NOT_BUILT_IN,
        ].map(\.rawValue)
    )

    private static let ofConnection = lasting.union(
        [
            CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT, CURLE_SSL_CONNECT_ERROR,
            CURLE_WEIRD_SERVER_REPLY, CURLE_REMOTE_ACCESS_DENIED, CURLE_SEND_ERROR, CURLE_RECV_ERROR,
            CURLE_GOT_NOTHING, CURLE_AUTH_ERROR, CURLE_INTERFACE_FAILED, CURLE_SSL_CIPHER,
        ].map(\.rawValue)
    )
}

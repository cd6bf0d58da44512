// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Crypto
import Foundation
import FreshetDatabase
import FreshetEngine
import FreshetWire

/// Encrypts queued mails, because the database must not contain usable secrets such as their codes.
///
/// ChaCha20-Poly1305 with keys derived from those that hash codes, which are stored outside the database. A row's id,
/// key and expiry are authenticated, so an encrypted mail cannot be moved to another row.
package struct MailSeal: Sendable {
    private let keys: [UInt8: SymmetricKey]
    private let currentID: UInt8

    /// Derives the encryption keys; `nil` without keys.
    ///
    /// - Parameter codeKeys: The keys that hash codes, by their ids; the one with the highest id encrypts.
    package init?(codeKeys: [UInt8: SymmetricKey]) {
        guard let newest = codeKeys.keys.max() else { return nil }
        currentID = newest
        keys = codeKeys.mapValues { key in
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: key,
                info: Data("freshet-mail-queue1".utf8),
                outputByteCount: 32
            )
        }
    }

    /// Encrypts a mail into a row.
    func seal(_ mail: QueuedMail, id: Bits128, owner: [UInt8]) throws -> MailTable.Row {
        guard let key = keys[currentID] else { throw CryptoKitError.incorrectKeySize }
        var row = MailTable.Row(id: id, owner: owner, expiresAt: mail.message.expiresAt, keyID: currentID, sealed: [])
        let content = try JSONEncoder().encode(Content(mail))
        row.sealed = Array(try ChaChaPoly.seal(content, using: key, authenticating: Self.associated(row)).combined)
        return row
    }

    /// Decrypts the mail of a row.
    ///
    /// - Returns: `nil` if its key is missing, or the row was modified.
    func open(_ row: MailTable.Row) -> QueuedMail? {
        guard let key = keys[row.keyID], let box = try? ChaChaPoly.SealedBox(combined: row.sealed),
            let bytes = try? ChaChaPoly.open(box, using: key, authenticating: Self.associated(row)),
            let content = try? JSONDecoder().decode(Content.self, from: bytes)
        else { return nil }
        return content.mail(expiresAt: row.expiresAt)
    }

    private static func associated(_ row: MailTable.Row) -> Data {
        Data("freshet-mail1\0".utf8 + row.id.bytes + [row.keyID]) + Data("\(row.expiresAt.milliseconds)".utf8)
    }

    /// The content that is encrypted.
    private struct Content: Codable {
        var recipient: String
        var kind: String
        var subject: String
        var text: String
        var isForNobody: Bool
        var source: String?
        var origin: String?

        init(_ mail: QueuedMail) {
            let message = mail.message
            recipient = message.recipient.text
            kind = message.kind.rawValue
            subject = message.subject
            text = message.text
            isForNobody = message.isForNobody
            source = mail.source?.description
            origin = mail.origin
        }

        func mail(expiresAt: Timestamp) -> QueuedMail? {
            guard let kind = MailMessage.Kind(rawValue: kind) else { return nil }
            let message = MailMessage(
                recipient: EmailAddress(stored: recipient),
                kind: kind,
                subject: subject,
                text: text,
                expiresAt: expiresAt,
                isForNobody: isForNobody
            )
            return QueuedMail(
                message: message,
                source: source.flatMap { SourceAddress(numeric: $0) },
                origin: origin,
                isStored: true
            )
        }
    }
}

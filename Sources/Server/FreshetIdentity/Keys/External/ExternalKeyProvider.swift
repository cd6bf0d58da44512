// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import FreshetEngine
import NIOConcurrencyHelpers

/// The external keys of an operator, as last read.
package final class ExternalKeyProvider: Sendable {
    private struct State {
        var document: KeyDocument
        var readAt: Timestamp
        /// Whether the document has not been recorded in the directory yet.
        var isNew = true
    }

    private let source: KeySource
    private let state: NIOLockedValueBox<State>
    /// Serializes the runs of the command.
    private let turn = NIOLock()

    package init(_ source: KeySource, now: Timestamp) throws {
        self.source = source
        do { state = NIOLockedValueBox(State(document: try Self.read(source), readAt: now)) } catch {
            throw IdentityStartupError.keys("\(source.name): \(error.description)")
        }
    }

    var document: KeyDocument { state.withLockedValue { $0.document } }
    /// Whether the source can return different keys later.
    var isRenewable: Bool { if case .program = source { true } else { false } }
    var isNew: Bool { state.withLockedValue { $0.isNew } }

    /// Marks the document as recorded in the directory.
    func markRecorded() { state.withLockedValue { $0.isNew = false } }

    /// Whether the source was last read longer ago than the interval.
    func isDue(now: Timestamp, interval: Duration) -> Bool {
        let readAt = state.withLockedValue { $0.readAt }
        return isRenewable && (now - readAt >= interval || now < readAt)
    }

    /// Reads the source again; an invalid document does not replace the current one.
    ///
    /// - Returns: The names of removed shared secrets: tokens and codes made with them are now refused.
    func renew(now: Timestamp) throws(KeyDocument.Fault) -> [String] {
        turn.lock()
        defer { turn.unlock() }
        state.withLockedValue { $0.readAt = now }
        let (old, new) = (document, try Self.read(source))
        try new.check(follows: old)
        guard new != old else { return [] }
        state.withLockedValue { state in
            state.document = new
            state.isNew = true
        }
        return old.secrets.flatMap { name, keys in
            keys.keys.filter { new.secrets[name]?[$0] == nil }.map { "\(name)-\($0)" }
        }
    }

    private static func read(_ source: KeySource) throws(KeyDocument.Fault) -> KeyDocument {
        switch source {
        case .text(let text): try KeyDocument(text)
        case .program(let command): try KeyDocument(KeyCommand.output(command))
        }
    }
}

extension KeySource {
    /// The name of the setting.
    var name: String {
        switch self {
        case .text: "FRESHET_KEYS"
        case .program: "keys-command"
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import FreshetKit

/// The items of an older version of the app, for tests of an import.
public final class InMemoryItems: LegacyItems {
    private struct Content {
        var texts: [String: String]
        var synchronized: [String: String]
        var fault: StoreUnavailable?
    }

    private let content: Locked<Content>

    /// Puts down texts by their keys; those that are synchronised travel between devices.
    public init(_ texts: [String: String] = [:], synchronized: [String: String] = [:]) {
        content = Locked(Content(texts: texts, synchronized: synchronized))
    }

    /// What every call fails with from now on.
    public var fault: StoreUnavailable? {
        get { content.withLock { $0.fault } }
        set { content.withLock { $0.fault = newValue } }
    }

    /// What is there, of both kinds.
    public var keys: Set<String> {
        content.withLock { Set($0.texts.keys).union($0.synchronized.keys) }
    }

    /// The text of an item.
    public func text(for key: String, isSynchronizable: Bool) throws(StoreUnavailable) -> String? {
        let (text, fault) = content.withLock { (isSynchronizable ? $0.synchronized[key] : $0.texts[key], $0.fault) }
        if let fault { throw fault }
        return text
    }

    /// Removes an item that is not synchronised.
    public func remove(_ key: String) throws(StoreUnavailable) {
        let fault = content.withLock { content in
            if content.fault == nil { content.texts[key] = nil }
            return content.fault
        }
        if let fault { throw fault }
    }
}

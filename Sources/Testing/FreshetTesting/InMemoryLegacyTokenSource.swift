// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import FreshetKit

/// A token source in memory, in place of the storage of an older version of the app.
public final class InMemoryLegacyTokenSource: LegacyTokenSource {
    private struct Content {
        var texts: [LegacyItem: String]
        var fault: SessionStoreError?
    }

    private let content: Locked<Content>

    /// Creates a source with texts by key; the items in `synchronized` are synchronised between devices.
    public convenience init(_ texts: [String: String] = [:], synchronized: [String: String] = [:]) {
        let items = texts.map { (LegacyItem($0.key), $0.value) }
        let travelling = synchronized.map { (LegacyItem($0.key, isSynchronizable: true), $0.value) }
        self.init(items: Dictionary(uniqueKeysWithValues: items + travelling))
    }

    /// Creates a source with texts by item.
    public init(items: [LegacyItem: String]) { content = Locked(Content(texts: items)) }

    /// The error that every call throws from now on.
    public var fault: SessionStoreError? {
        get { content.withLock { $0.fault } }
        set { content.withLock { $0.fault = newValue } }
    }

    /// The keys of all items, synchronised or not.
    public var keys: Set<String> { content.withLock { Set($0.texts.keys.map(\.key)) } }

    /// Returns the text of an item.
    public func text(of item: LegacyItem) throws(SessionStoreError) -> String? {
        let (text, fault) = content.withLock { ($0.texts[item], $0.fault) }
        if let fault { throw fault }
        return text
    }

    /// Removes an item.
    public func remove(_ item: LegacyItem) throws(SessionStoreError) {
        let fault = content.withLock { content in
            if content.fault == nil { content.texts[item] = nil }
            return content.fault
        }
        if let fault { throw fault }
    }
}

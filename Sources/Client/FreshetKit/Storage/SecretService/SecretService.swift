// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    internal import Foundation

    /// Calls the Secret Service on the session bus, on a thread that may block.
    ///
    /// It never requests an unlock, which would prompt the user.
    struct SecretService {
        // The numbers are those of libsecret's flags.
        private static let sessionBus: Int32 = 2
        private static let searchAll: UInt32 = 1 << 1
        private static let replaceItem: UInt32 = 1 << 1

        /// The connection, cached because each operation would otherwise open a new one.
        private static let connection = Locked<GLibObject?>(nil)
        /// The GLib main context to which the bus delivers its signals; one thread at a time processes them.
        private static let context = Locked<GLibObject?>(nil)

        private let library: Libsecret
        private let cancellable: GLibObject
        private let service: GLibObject

        private init(_ library: Libsecret, _ cancellable: GLibObject) throws(SecretServiceError) {
            self.library = library
            self.cancellable = cancellable
            try Self.connect(library, cancellable)
            let found = try Self.checked(library) { library.service(0, cancellable.pointer, $0) }
            guard let found else { throw .connectionLost(SessionStoreError(.locked, "there is no Secret Service")) }
            service = GLibObject(found, library.unref)
        }

        /// Runs `body` with a connection, and once more with a new one if the connection was lost.
        static func withConnection<Value>(
            _ library: Libsecret,
            _ cancellable: GLibObject,
            _ body: (SecretService) throws(SecretServiceError) -> Value
        ) throws(SessionStoreError) -> Value {
            // Without a context of our own, signals would accumulate in the program's default context, which may not be
            // running.
            let context = try context(library)
            library.pushContext(context.pointer)
            // The event of a connection that has closed retains it, so that GIO would return it again.
            func handleEvents() { while library.iterate(context.pointer, 0) != 0 {} }
            handleEvents()
            defer {
                handleEvents()
                library.popContext(context.pointer)
            }
            do throws(SecretServiceError) {
                do throws(SecretServiceError) { return try body(SecretService(library, cancellable)) } catch {
                    guard case .connectionLost = error, library.isCancelled(cancellable.pointer) == 0 else {
                        throw error
                    }
                    handleEvents()
                    library.disconnect()
                    return try body(SecretService(library, cancellable))
                }
            } catch { throw error.storeError }
        }

        private static func context(_ library: Libsecret) throws(SessionStoreError) -> GLibObject {
            try context.withLock { context throws(SessionStoreError) in
                if let context { return context }
                guard let made = library.newContext() else { throw noMemory.storeError }
                let new = GLibObject(made, library.unrefContext)
                context = new
                return new
            }
        }

        private static func connect(_ library: Libsecret, _ cancellable: GLibObject) throws(SecretServiceError) {
            if let old = connection.withLock({ $0 }) {
                guard library.isClosed(old.pointer) != 0 else { return }
                connection.withLock { $0 = nil }
                library.disconnect()
            }
            let found = try checked(library) { library.bus(sessionBus, cancellable.pointer, $0) }
            guard let found else { throw .connectionLost(SessionStoreError(.locked, "there is no session bus")) }
            let bus = GLibObject(found, library.unref)
            // By default, GIO exits the process when the bus connection closes.
            library.setExitOnClose(bus.pointer, 0)
            guard library.isClosed(bus.pointer) == 0 else {
                // GIO returns the same connection to all callers while any of them retains it.
                throw .permanent(
                    SessionStoreError(.locked, "the session bus was closed; restart the program to use a new one")
                )
            }
            connection.withLock { $0 = bus }
        }

        // MARK: Items

        /// Returns the secret with these attributes.
        ///
        /// - Returns: `nil` only if the default collection is unlocked, and no collection has such an item.
        func secret(_ attributes: [String: String]) throws(SecretServiceError) -> Data? {
            _ = try defaultCollection()
            let items = try items(attributes)
            guard let item = items.first else {
                // Some services show no items of a locked collection, and it may have been locked in the meantime.
                _ = try defaultCollection()
                return nil
            }
            guard items.count == 1 else {
                throw .permanent(SessionStoreError(.damaged, "the Secret Service has several items of this name"))
            }
            guard library.isItemLocked(item.pointer) == 0 else { throw Self.locked }
            _ = try call { library.loadSecret(item.pointer, cancellable.pointer, $0) }
            guard let pointer = library.secret(item.pointer) else { throw Self.locked }
            let value = GLibObject(pointer, library.unrefValue)
            var count: UInt = 0
            guard let bytes = library.bytes(value.pointer, &count) else { return Data() }
            return Data(bytes: bytes, count: Int(clamping: count))
        }

        /// Replaces the secret of an item, or creates the item in the default collection.
        func put(_ secret: Data, label: String, _ attributes: [String: String]) throws(SecretServiceError) {
            let collection = try defaultCollection()
            let pointer = secret.withUnsafeBytes { library.newValue($0.baseAddress, $0.count, "application/json") }
            guard let pointer else { throw Self.noMemory }
            let value = GLibObject(pointer, library.unrefValue)
            let items = try items(attributes)
            guard let item = items.first else {
                let table = try table(attributes)
                let made = try call {
                    library.createItem(
                        collection.pointer,
                        nil,
                        table.pointer,
                        label,
                        value.pointer,
                        Self.replaceItem,
                        cancellable.pointer,
                        $0
                    )
                }
                if let made { library.unref(made) }
                return
            }
            guard library.isItemLocked(item.pointer) == 0 else { throw Self.locked }
            _ = try call { library.setSecret(item.pointer, value.pointer, cancellable.pointer, $0) }
            try delete(items.dropFirst())
        }

        /// Removes all items with these attributes.
        func remove(_ attributes: [String: String]) throws(SecretServiceError) {
            _ = try defaultCollection()
            try delete(items(attributes)[...])
        }

        /// Returns the values of an attribute in the items with these attributes.
        func values(of attribute: String, in attributes: [String: String]) throws(SecretServiceError) -> [String] {
            _ = try defaultCollection()
            let values = try items(attributes).compactMap { item -> String? in
                guard let pointer = library.attributes(item.pointer) else { return nil }
                let table = GLibObject(pointer, library.unrefTable)
                return library.value(table.pointer, attribute).map { String(cString: $0) }
            }
            _ = try defaultCollection()
            return values
        }

        private func delete(_ items: ArraySlice<GLibObject>) throws(SecretServiceError) {
            for item in items {
                guard library.isItemLocked(item.pointer) == 0 else { throw Self.locked }
                _ = try call { library.delete(item.pointer, cancellable.pointer, $0) }
            }
        }

        /// Returns the collection for new items, which must be unlocked.
        private func defaultCollection() throws(SecretServiceError) -> GLibObject {
            let found = try call { library.collection(service.pointer, "default", 0, cancellable.pointer, $0) }
            guard let found else {
                throw .permanent(SessionStoreError(.locked, "the Secret Service has no default collection"))
            }
            let collection = GLibObject(found, library.unref)
            guard library.isCollectionLocked(collection.pointer) == 0 else { throw Self.locked }
            return collection
        }

        private func items(_ attributes: [String: String]) throws(SecretServiceError) -> [GLibObject] {
            let table = try table(attributes)
            let list = try call {
                library.search(service.pointer, nil, table.pointer, Self.searchAll, cancellable.pointer, $0)
            }
            var items: [GLibObject] = []
            var node = list
            while let place = node {
                // A list's node is a pointer to the item, and one to the next node.
                if let item = place.load(as: Libsecret.Pointer?.self) {
                    items.append(GLibObject(item, library.unref))
                }
                node = place.load(fromByteOffset: MemoryLayout<Int>.size, as: Libsecret.Pointer?.self)
            }
            if let list { library.freeList(list) }
            return items
        }

        private func table(_ attributes: [String: String]) throws(SecretServiceError) -> GLibObject {
            let made = library.newTable(library.stringHash, library.stringEqual, library.free, library.free)
            guard let made else { throw Self.noMemory }
            let table = GLibObject(made, library.unrefTable)
            for (key, value) in attributes {
                // A C string would end there, and would identify another item.
                guard !value.utf8.contains(0) else {
                    throw .permanent(SessionStoreError(.denied, "a name with a null character cannot be stored"))
                }
                _ = library.insert(table.pointer, library.copy(key), library.copy(value))
            }
            return table
        }

        // MARK: Errors

        private static var locked: SecretServiceError {
            .permanent(SessionStoreError(.locked, "the Secret Service is locked"))
        }

        private static var noMemory: SecretServiceError {
            .permanent(SessionStoreError(.failed, "out of memory"))
        }

        private func call<Value>(_ body: (Libsecret.ErrorSlot) -> Value) throws(SecretServiceError) -> Value {
            try Self.checked(library, body)
        }

        /// Makes a call, and throws the error that it reports.
        private static func checked<Value>(
            _ library: Libsecret,
            _ body: (Libsecret.ErrorSlot) -> Value
        ) throws(SecretServiceError) -> Value {
            var error: Libsecret.Pointer?
            let value = body(&error)
            guard let error else { return value }
            defer { library.freeError(error) }
            // A GError is a domain and a code of four bytes each, and then its message.
            let message = error.load(fromByteOffset: 8, as: UnsafePointer<CChar>?.self).map { String(cString: $0) }
            let reason = "the Secret Service cannot be used: \(message ?? "no reason given")"
            throw .connectionLost(SessionStoreError(.locked, reason))
        }
    }
#endif

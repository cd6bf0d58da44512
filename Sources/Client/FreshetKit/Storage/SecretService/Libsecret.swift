// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    internal import Foundation

    /// The functions of libsecret and GLib that are used here, found at run time.
    ///
    /// Thus a program also runs on systems without a desktop, and can report which library is missing. All functions
    /// have a fixed number of arguments.
    struct Libsecret: Sendable {
        typealias Pointer = UnsafeMutableRawPointer
        /// A pointer to which a function writes a new `GError`.
        typealias ErrorSlot = UnsafeMutablePointer<Pointer?>
        /// A function that is only passed on, so its type does not matter.
        typealias Callback = @convention(c) @Sendable () -> Void
        typealias Release = @convention(c) @Sendable (Pointer?) -> Void

        /// The library's name as the system knows it; the number is the binary interface's.
        static let standardName = "libsecret-1.so.0"

        // GLib
        let newTable: @convention(c) @Sendable (Callback?, Callback?, Callback?, Callback?) -> Pointer?
        let insert: @convention(c) @Sendable (Pointer?, Pointer?, Pointer?) -> Int32
        let value: @convention(c) @Sendable (Pointer?, UnsafePointer<CChar>?) -> UnsafePointer<CChar>?
        let copy: @convention(c) @Sendable (UnsafePointer<CChar>?) -> Pointer?
        let stringHash: Callback
        let stringEqual: Callback
        let free: Callback
        let freeError: Release
        let freeList: Release
        let unrefTable: Release
        let newContext: @convention(c) @Sendable () -> Pointer?
        let pushContext: Release
        let popContext: Release
        let iterate: @convention(c) @Sendable (Pointer?, Int32) -> Int32
        let unrefContext: Release

        // GObject and GIO
        let unref: Release
        let newCancellable: @convention(c) @Sendable () -> Pointer?
        let cancel: Release
        let isCancelled: @convention(c) @Sendable (Pointer?) -> Int32
        let bus: @convention(c) @Sendable (Int32, Pointer?, ErrorSlot?) -> Pointer?
        let setExitOnClose: @convention(c) @Sendable (Pointer?, Int32) -> Void
        let isClosed: @convention(c) @Sendable (Pointer?) -> Int32

        // libsecret
        let service: @convention(c) @Sendable (UInt32, Pointer?, ErrorSlot?) -> Pointer?
        let disconnect: @convention(c) @Sendable () -> Void
        let collection:
            @convention(c) @Sendable (Pointer?, UnsafePointer<CChar>?, UInt32, Pointer?, ErrorSlot?) -> Pointer?
        let isCollectionLocked: @convention(c) @Sendable (Pointer?) -> Int32
        let search: @convention(c) @Sendable (Pointer?, Pointer?, Pointer?, UInt32, Pointer?, ErrorSlot?) -> Pointer?
        let isItemLocked: @convention(c) @Sendable (Pointer?) -> Int32
        let attributes: @convention(c) @Sendable (Pointer?) -> Pointer?
        let loadSecret: @convention(c) @Sendable (Pointer?, Pointer?, ErrorSlot?) -> Int32
        let secret: @convention(c) @Sendable (Pointer?) -> Pointer?
        let setSecret: @convention(c) @Sendable (Pointer?, Pointer?, Pointer?, ErrorSlot?) -> Int32
        let delete: @convention(c) @Sendable (Pointer?, Pointer?, ErrorSlot?) -> Int32
        let createItem:
            @convention(c) @Sendable (
                Pointer?, Pointer?, Pointer?, UnsafePointer<CChar>?, Pointer?, UInt32, Pointer?, ErrorSlot?
            ) -> Pointer?
        let newValue: @convention(c) @Sendable (UnsafeRawPointer?, Int, UnsafePointer<CChar>?) -> Pointer?
        let bytes: @convention(c) @Sendable (Pointer?, UnsafeMutablePointer<UInt>?) -> UnsafeRawPointer?
        let unrefValue: Release

        private static let loaded = Locked<[String: Libsecret]>([:])

        /// Loads the library of a name; a loaded library is never unloaded.
        static func named(_ name: String) throws(SessionStoreError) -> Libsecret {
            if let library = loaded.withLock({ $0[name] }) { return library }
            guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
                throw SessionStoreError(.failed, "\(name) is not installed (Debian's package libsecret-1-0)")
            }
            let library = try Libsecret(Symbols(handle: handle, library: name))
            loaded.withLock { $0[name] = library }
            return library
        }

        private struct Symbols {
            let handle: UnsafeMutableRawPointer
            let library: String

            /// Returns the function of a name; the caller must specify its correct type.
            func callAsFunction<Function>(_ name: String) throws(SessionStoreError) -> Function {
                guard let symbol = dlsym(handle, name) else {
                    throw SessionStoreError(.failed, "\(library) has no \(name)")
                }
                return unsafeBitCast(symbol, to: Function.self)
            }
        }

        private init(_ function: Symbols) throws(SessionStoreError) {
            newTable = try function("g_hash_table_new_full")
            insert = try function("g_hash_table_insert")
            value = try function("g_hash_table_lookup")
            copy = try function("g_strdup")
            stringHash = try function("g_str_hash")
            stringEqual = try function("g_str_equal")
            free = try function("g_free")
            freeError = try function("g_error_free")
            freeList = try function("g_list_free")
            unrefTable = try function("g_hash_table_unref")
            newContext = try function("g_main_context_new")
            pushContext = try function("g_main_context_push_thread_default")
            popContext = try function("g_main_context_pop_thread_default")
            iterate = try function("g_main_context_iteration")
            unrefContext = try function("g_main_context_unref")
            unref = try function("g_object_unref")
            newCancellable = try function("g_cancellable_new")
            cancel = try function("g_cancellable_cancel")
            isCancelled = try function("g_cancellable_is_cancelled")
            bus = try function("g_bus_get_sync")
            setExitOnClose = try function("g_dbus_connection_set_exit_on_close")
            isClosed = try function("g_dbus_connection_is_closed")
            service = try function("secret_service_get_sync")
            disconnect = try function("secret_service_disconnect")
            collection = try function("secret_collection_for_alias_sync")
            isCollectionLocked = try function("secret_collection_get_locked")
            search = try function("secret_service_search_sync")
            isItemLocked = try function("secret_item_get_locked")
            attributes = try function("secret_item_get_attributes")
            loadSecret = try function("secret_item_load_secret_sync")
            secret = try function("secret_item_get_secret")
            setSecret = try function("secret_item_set_secret_sync")
            delete = try function("secret_item_delete_sync")
            createItem = try function("secret_item_create_sync")
            newValue = try function("secret_value_new")
            bytes = try function("secret_value_get")
            unrefValue = try function("secret_value_unref")
        }
    }
#endif

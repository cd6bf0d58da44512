// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetKit

#if os(Linux)
    import CFreshetKeyring
#endif

/// The store that a worker's command line names.
struct WorkerStore {
    let stores: any SessionStores
    let name: String
    /// The kernel key's description.
    private var key = ""
    #if os(Linux)
        private var chain: SecretStoreResolver?
    #endif

    var store: any SessionStore { stores.store(named: name) }

    init?(_ arguments: ArraySlice<String>) {
        let arguments = Array(arguments)
        switch arguments.first {
        case "file" where arguments.count == 3:
            stores = FileStores(directory: URL(filePath: arguments[1], directoryHint: .isDirectory))
            name = arguments[2]
        #if os(Linux)
            case "secret-service" where (4...5).contains(arguments.count):
                let locks = URL(filePath: arguments[3], directoryHint: .isDirectory)
                let timeout = Duration.seconds(arguments.count > 4 ? Int(arguments[4]) ?? 1 : 1)
                stores = SecretServiceStores(application: arguments[1], timeout: timeout, lockDirectory: locks)
                name = arguments[2]
                chain = SecretStoreResolver(application: arguments[1], lockDirectory: locks)
            case "kernel-keyring" where arguments.count == 4:
                let locks = URL(filePath: arguments[3], directoryHint: .isDirectory)
                stores = KernelKeyringStores(application: arguments[1], lockDirectory: locks)
                name = arguments[2]
                key = "\(arguments[1]):\(arguments[2])"
                // As a new login has: nothing of the user's is reached through it.
                guard freshet_join_new_session() >= 0 else { return nil }
        #endif
        default: return nil
        }
    }

    /// The name of the store that the resolver chooses.
    func firstUsable() throws -> String {
        #if os(Linux)
            if let chain { return try chain.firstUsable().rawValue }
        #endif
        return "what?"
    }

    /// Takes another program's place, in a session keyring that nobody else is in.
    static func becomeInNewLogin(_ arguments: [String]) {
        #if os(Linux)
            guard freshet_join_new_session() >= 0 else { return }
            var argv = arguments.map { strdup($0) } + [nil]
            execv(arguments[0], &argv)
        #endif
    }

    /// Performs a command that only kernel keys support.
    func kernelDeed(_ arguments: [String]) throws -> String {
        #if os(Linux)
            switch arguments.first {
            case "revoke":
                return freshet_key_revoke(serial) == 0 ? "done" : "errno \(errno)"
            case "expire":
                guard freshet_key_set_timeout(serial, 1) == 0 else { return "errno \(errno)" }
                // The kernel counts whole seconds.
                while freshet_key_read(serial, nil, 0) >= 0 { usleep(20_000) }
                return "done"
            case "revoke-session":
                return freshet_key_revoke(Int32(KEY_SPEC_SESSION_KEYRING)) == 0 ? "done" : "errno \(errno)"
            case "become":
                guard let user = arguments.dropFirst().first.flatMap(UInt32.init) else { break }
                guard setgroups(0, nil) == 0, setgid(user) == 0, setuid(user) == 0 else { return "errno \(errno)" }
                return freshet_join_new_session() >= 0 ? "done" : "errno \(errno)"
            default: break
            }
        #endif
        return "what?"
    }

    #if os(Linux)
        private var serial: Int32 {
            Int32(freshet_key_search(Int32(KEY_SPEC_USER_KEYRING), "user", key))
        }
    #endif
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SessionFixtures

#if os(Linux)
    import Foundation

    @testable import FreshetKit

    /// The user's keyring in the kernel, under names that are a test's own and go with it.
    final class KernelKeyring {
        /// The id of a user who is not root and has no keys.
        static let nobody: UInt32 = 65_534

        let application = "freshet-test-\(UUID().uuidString)"
        private let folder: Folder

        /// Whether the kernel has keyrings, and lets this process look into them.
        static var isPermitted: Bool { (try? UserKeyring.descriptions()) != nil }

        init() throws { folder = try Folder() }

        deinit {
            // By a worker as well, so that this process's own keyrings stay as they are.
            let cleaner = try? Worker.process(arguments(), told: "clean")
            cleaner?.standardOutput = FileHandle.nullDevice
            try? cleaner?.run()
            cleaner?.waitUntilExit()
        }

        func arguments(_ name: String = "main", locks: Folder? = nil) -> [String] {
            ["kernel-keyring", application, name, (locks ?? folder).url.path]
        }

        /// A worker that logged in anew.
        func worker(_ name: String = "main", locks: Folder? = nil) throws -> Worker {
            try Worker(arguments(name, locks: locks))
        }

        /// The lock file of the store in that key.
        func lock(_ name: String) -> URL {
            folder.url.appending(path: "kernel-keyring.\(FileName.escaped(application)):\(name).lock")
        }
    }
#endif
